package dev.fencing.harness.history;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The entries of a map, with their types. Each method throws IllegalArgumentException. */
record Fields(Map<String, @Nullable Object> map) {

  @Nullable Object get(String key) {
    return map.get(key);
  }

  @Nullable Long optionalNumber(String key) {
    return optional(key, Long.class);
  }

  long number(String key) {
    return required(key, Long.class);
  }

  int small(String key) {
    return Math.toIntExact(number(key));
  }

  double real(String key) {
    return required(key, Number.class).doubleValue();
  }

  @Nullable String optionalText(String key) {
    return optional(key, String.class);
  }

  String text(String key) {
    return required(key, String.class);
  }

  @Nullable Boolean optionalFlag(String key) {
    return optional(key, Boolean.class);
  }

  <E extends Enum<E>> E constant(String key, Class<E> type) {
    return Enum.valueOf(type, text(key).toUpperCase(Locale.ROOT).replace('-', '_'));
  }

  private <T> T required(String key, Class<T> type) {
    T value = optional(key, type);
    if (value == null) {
      throw new IllegalArgumentException(":" + key + " is missing");
    }
    return value;
  }

  private <T> @Nullable T optional(String key, Class<T> type) {
    Object value = map.get(key);
    if (value != null && !type.isInstance(value)) {
      throw new IllegalArgumentException(
          ":%s is %s, a %s is expected".formatted(key, value, type.getSimpleName()));
    }
    return type.cast(value);
  }
}
