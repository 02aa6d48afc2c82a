package dev.fencing.spring;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.context.expression.MethodBasedEvaluationContext;
import org.springframework.core.DefaultParameterNameDiscoverer;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.Expression;
import org.springframework.expression.ParseException;
import org.springframework.expression.ParserContext;
import org.springframework.expression.common.CompositeStringExpression;
import org.springframework.expression.common.LiteralExpression;
import org.springframework.expression.spel.standard.SpelExpressionParser;

/** The name of a resource with expressions in it. */
final class FencedName {

  private static final SpelExpressionParser PARSER = new SpelExpressionParser();
  private static final ParameterNameDiscoverer NAMES = new DefaultParameterNameDiscoverer();

  private final String text;
  private final List<Expression> parts;

  private FencedName(String text, List<Expression> parts) {
    this.text = text;
    this.parts = parts;
  }

  /**
   * Parses a name, in which placeholders of properties are resolved.
   *
   * @throws IllegalArgumentException if it is no template, or its own text has a % in it, which
   *     only an encoded value may have
   */
  static FencedName parse(String text) {
    try {
      Expression whole = PARSER.parseExpression(text, ParserContext.TEMPLATE_EXPRESSION);
      List<Expression> parts =
          whole instanceof CompositeStringExpression composite
              ? Arrays.asList(composite.getExpressions())
              : List.of(whole);
      for (Expression part : parts) {
        if (part instanceof LiteralExpression && part.getExpressionString().indexOf('%') >= 0) {
          throw new IllegalArgumentException(
              "\"%s\" has a %% in it, which stands for an encoded character of a value"
                  .formatted(text));
        }
        if (part instanceof LiteralExpression && part.getExpressionString().contains("${")) {
          throw new IllegalArgumentException(
              "\"%s\" has a placeholder that no property resolves".formatted(text));
        }
      }
      return new FencedName(text, parts);
    } catch (ParseException e) {
      throw new IllegalArgumentException(
          "\"%s\" is no name of a resource: %s. Expressions are written #{#argument}"
              .formatted(text, e.getMessage()),
          e);
    }
  }

  boolean isConstant() {
    return parts.stream().allMatch(LiteralExpression.class::isInstance);
  }

  /** Returns a name as a call may give it, to see whether it can be one. */
  String example() {
    StringBuilder name = new StringBuilder();
    parts.forEach(
        part -> name.append(part instanceof LiteralExpression ? part.getExpressionString() : "x"));
    return name.toString();
  }

  /** Returns the text as it was written. */
  @Override
  public String toString() {
    return text;
  }

  /**
   * Returns the name for a call.
   *
   * @throws IllegalArgumentException if a value is null or empty, or names nothing
   */
  String of(@Nullable Object target, Method method, @Nullable Object... arguments) {
    if (isConstant()) {
      return text;
    }
    EvaluationContext context =
        new MethodBasedEvaluationContext(
            target == null ? method : target, method, arguments, NAMES);
    StringBuilder name = new StringBuilder();
    for (Expression part : parts) {
      if (part instanceof LiteralExpression) {
        name.append(part.getExpressionString());
      } else {
        name.append(value(part, context, method));
      }
    }
    return name.toString();
  }

  private String value(Expression part, EvaluationContext context, Method method) {
    Object value;
    try {
      value = part.getValue(context);
    } catch (EvaluationException e) {
      throw new IllegalArgumentException(
          "#{%s} in \"%s\" cannot be evaluated in this call of %s: %s"
              .formatted(part.getExpressionString(), text, method, e.getMessage()),
          e);
    }
    if (value == null) {
      throw new IllegalArgumentException(
          "#{%s} in \"%s\" is null in this call of %s. If there is such an argument, compile with -parameters"
              .formatted(part.getExpressionString(), text, method));
    }
    return FencedLocks.encoded(value, text);
  }
}
