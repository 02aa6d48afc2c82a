package dev.fencing.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Async;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionAttribute;
import org.springframework.transaction.interceptor.TransactionAttributeSource;

/**
 * What {@link Fenced} on one method says.
 *
 * @param waitTime null for that of the locks
 * @param transactionManager that of the transaction, whoever begins it; empty for the default
 * @param ownTransaction whether its own {@code @Transactional} sees to the transaction
 */
record FencedMethod(
    Method method,
    List<FencedName> names,
    @Nullable Duration waitTime,
    String transactionManager,
    boolean leader,
    boolean ownTransaction) {

  private static final TransactionAttributeSource TRANSACTIONS =
      new AnnotationTransactionAttributeSource(false);

  /** Returns the annotation on a method, or on what it implements. */
  static @Nullable Fenced on(Method method) {
    return AnnotatedElementUtils.findMergedAnnotation(method, Fenced.class);
  }

  /**
   * Reads the annotation.
   *
   * @param resolve resolves placeholders of properties
   * @param transactions whether something processes {@code @Transactional} on this bean
   * @throws IllegalStateException if the method cannot be fenced, with the reason
   */
  static FencedMethod of(
      Method method,
      Class<?> type,
      Fenced fenced,
      UnaryOperator<String> resolve,
      boolean transactions) {
    requireProxied(method);
    if (fenced.value().length == 0) {
      throw refused(method, "names no resource");
    }
    TransactionAttribute own =
        transactions ? TRANSACTIONS.getTransactionAttribute(method, type) : null;
    if (own != null && !fenced.transactionManager().isEmpty()) {
      throw refused(
          method,
          "names the transaction manager \"%s\", but its @Transactional begins the transaction: name it there"
              .formatted(fenced.transactionManager()));
    }
    String manager = own == null ? fenced.transactionManager() : own.getQualifier();
    FencedMethod found;
    try {
      found =
          new FencedMethod(
              method,
              Arrays.stream(fenced.value()).map(resolve).map(FencedName::parse).toList(),
              waitTime(resolve.apply(fenced.waitTime())),
              manager == null ? "" : resolve.apply(manager),
              fenced.leader(),
              own != null);
    } catch (IllegalArgumentException e) {
      throw refused(method, "is wrong: " + e.getMessage());
    }
    boolean constant = found.names.size() == 1 && found.names.get(0).isConstant();
    if (found.leader && !(constant && method.getReturnType() == void.class)) {
      throw refused(
          method,
          "has leader = true, which is for one resource without expressions and a method that returns nothing");
    }
    if (isFinishedLater(method) && !isAsync(method, type)) {
      throw refused(
          method,
          "returns a %s, which is finished after the commit and the release. Return the value itself, or make the method @Async as well"
              .formatted(method.getReturnType().getSimpleName()));
    }
    return found;
  }

  private static @Nullable Duration waitTime(String text) {
    return text.isEmpty()
        ? null
        : FencedLocks.requireWait(DurationFormatterUtils.detectAndParse(text));
  }

  private static void requireProxied(Method method) {
    int modifiers = method.getModifiers();
    if (Modifier.isPrivate(modifiers)
        || Modifier.isStatic(modifiers)
        || Modifier.isFinal(modifiers)) {
      throw refused(
          method,
          "cannot work, because no proxy sees a private, static or final method: it would run unfenced");
    }
  }

  static boolean isAsync(Method method, Class<?> type) {
    return AnnotatedElementUtils.hasAnnotation(method, Async.class)
        || AnnotatedElementUtils.hasAnnotation(type, Async.class);
  }

  private static boolean isFinishedLater(Method method) {
    Class<?> type = method.getReturnType();
    Class<?>[] parameters = method.getParameterTypes();
    return Future.class.isAssignableFrom(type)
        || CompletionStage.class.isAssignableFrom(type)
        || ReactiveAdapterRegistry.getSharedInstance().getAdapter(type) != null
        || (parameters.length > 0 // A suspending function of Kotlin.
            && parameters[parameters.length - 1]
                .getName()
                .equals("kotlin.coroutines.Continuation"));
  }

  static IllegalStateException refused(Method method, String why) {
    return new IllegalStateException("@Fenced on %s %s".formatted(method, why));
  }

  /** Returns the resources of a call, in the order in which they are locked. */
  Collection<String> resources(@Nullable Object target, @Nullable Object[] arguments) {
    if (names.size() == 1) {
      return List.of(names.get(0).of(target, method, arguments));
    }
    TreeSet<String> resources = new TreeSet<>();
    names.forEach(name -> resources.add(name.of(target, method, arguments)));
    return resources;
  }
}
