package dev.fencing.harness.history;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import us.bpsm.edn.EdnException;
import us.bpsm.edn.Keyword;
import us.bpsm.edn.parser.Parseable;
import us.bpsm.edn.parser.Parser;
import us.bpsm.edn.parser.Parsers;

/** Values as EDN text and back. */
final class Edn {

  private static final Keyword VER = Keyword.newKeyword("ver");
  private static final Keyword VALUE = Keyword.newKeyword("value");

  private Edn() {}

  /**
   * Returns a map on one line, without the line's end; its keys become keywords, null is left out.
   */
  static String line(Map<String, @Nullable Object> map) {
    StringBuilder text = new StringBuilder("{");
    map.forEach(
        (key, value) -> {
          if (value != null) {
            text.append(text.length() == 1 ? ":" : " :").append(key).append(' ');
            append(text, value);
          }
        });
    return text.append('}').toString();
  }

  /**
   * Reads a map with keywords as keys.
   *
   * @throws IllegalArgumentException if the text is none
   */
  static Map<String, @Nullable Object> map(String text) {
    // A parser is cheap, and one that has met an error is not used again.
    Parser parser = Parsers.newParser(Parsers.defaultConfiguration());
    Parseable source = new Line(text);
    Object value;
    try {
      value = parser.nextValue(source);
      if (value != Parser.END_OF_INPUT && parser.nextValue(source) != Parser.END_OF_INPUT) {
        throw new IllegalArgumentException("more than one value on a line: " + text);
      }
    } catch (EdnException e) {
      throw new IllegalArgumentException("no EDN: " + text, e);
    }
    if (!(value instanceof Map<?, ?> read)) {
      throw new IllegalArgumentException("no map: " + text);
    }
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    read.forEach((key, element) -> map.put(String.valueOf(plain(key)), plain(element)));
    return map;
  }

  /** Returns a keyword as its name, and what looks like a row as a row. */
  private static @Nullable Object plain(@Nullable Object value) {
    if (value instanceof Keyword keyword) {
      return keyword.getName();
    }
    if (value instanceof List<?> list) {
      List<@Nullable Object> copy = new ArrayList<>(list.size());
      list.forEach(element -> copy.add(plain(element)));
      return Collections.unmodifiableList(copy);
    }
    if (value instanceof Map<?, ?> map) {
      if (map.get(VER) instanceof Long ver) {
        return new Row(ver, plain(map.get(VALUE)));
      }
      Map<Object, @Nullable Object> copy = new LinkedHashMap<>();
      map.forEach((key, element) -> copy.put(key(key), plain(element)));
      return Collections.unmodifiableMap(copy);
    }
    return value;
  }

  private static Object key(Object key) {
    return key instanceof Keyword keyword ? keyword.getName() : key;
  }

  private static void append(StringBuilder text, @Nullable Object value) {
    if (value == null) {
      text.append("nil");
    } else if (value instanceof String string) {
      appendText(text, string);
    } else if (value instanceof Enum<?> constant) {
      text.append(':').append(keyword(constant));
    } else if (value instanceof Row row) {
      text.append("{:ver ").append(row.ver()).append(" :value ");
      append(text, row.value());
      text.append('}');
    } else if (value instanceof Map<?, ?> map) {
      text.append('{');
      map.forEach(
          (key, element) -> {
            append(text, key);
            text.append(' ');
            append(text, element);
            text.append(' ');
          });
      text.append('}');
    } else if (value instanceof List<?> list) {
      text.append('[');
      list.forEach(
          element -> {
            append(text, element);
            text.append(' ');
          });
      text.append(']');
    } else if (value instanceof Number || value instanceof Boolean) {
      text.append(value);
    } else {
      throw new IllegalArgumentException("not for EDN: " + value.getClass() + " " + value);
    }
  }

  private static void appendText(StringBuilder text, String string) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '"' -> text.append("\\\"");
        case '\\' -> text.append("\\\\");
        case '\n' -> text.append("\\n");
        case '\r' -> text.append("\\r");
        case '\t' -> text.append("\\t");
        // EDN has no escape for the other control characters; nothing here depends on one.
        default -> text.append(c < ' ' ? ' ' : c);
      }
    }
    text.append('"');
  }

  static String keyword(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A line to read from; the parser's own tells the end by an exception, which takes its time. */
  private static final class Line implements Parseable {
    private final String text;
    private int next;

    Line(String text) {
      this.text = text;
    }

    @Override
    public int read() {
      return next < text.length() ? text.charAt(next++) : END_OF_INPUT;
    }

    @Override
    public void unread(int character) {
      if (character != END_OF_INPUT) {
        next--;
      }
    }

    @Override
    public void close() {}
  }
}
