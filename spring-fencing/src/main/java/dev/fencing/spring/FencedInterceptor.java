package dev.fencing.spring;

import dev.fencing.jdbc.JdbcFence;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.util.function.SingletonSupplier;

/** Runs methods as their {@link Fenced} says; takes what it needs from the bean factory. */
final class FencedInterceptor implements MethodInterceptor {

  private record Key(Method method, Class<?> type) {}

  private final BeanFactory beans;
  private final Map<Key, FencedMethod> methods = new ConcurrentHashMap<>();
  private final Map<String, TransactionRunner> transactions = new ConcurrentHashMap<>();
  private final SingletonSupplier<FencedLocks> locks;
  private final SingletonSupplier<FencedCalls> calls;

  FencedInterceptor(BeanFactory beans) {
    this.beans = beans;
    this.locks = SingletonSupplier.of(() -> beans.getBean(FencedLocks.class));
    this.calls =
        SingletonSupplier.of(() -> new FencedCalls(locks.obtain(), beans.getBean(JdbcFence.class)));
  }

  /**
   * Reads a method of a bean that is about to be proxied.
   *
   * @param method of the class, or of an interface that only the proxy implements
   */
  FencedMethod add(Method method, Class<?> type, Fenced fenced, boolean transactional) {
    UnaryOperator<String> resolve =
        text -> {
          String resolved =
              beans instanceof ConfigurableBeanFactory configurable
                  ? configurable.resolveEmbeddedValue(text)
                  : text;
          return resolved == null ? "" : resolved;
        };
    FencedMethod found = FencedMethod.of(method, type, fenced, resolve, transactional);
    methods.put(new Key(method, type), found);
    return found;
  }

  /**
   * Checks that the application has what a method needs.
   *
   * @throws IllegalStateException if it has not
   */
  void require(FencedMethod method) {
    JdbcFence fence = calls.obtain().fence();
    try {
      method.names().forEach(name -> locks.obtain().lockPath(name.example()));
      if (method.ownTransaction()
          && managerOfOwn(method) instanceof PlatformTransactionManager platform) {
        TransactionRunner.requireFenced(platform, fence);
      }
      if (!method.ownTransaction()) {
        transactions(method);
      }
    } catch (IllegalArgumentException e) {
      throw FencedMethod.refused(method.method(), "cannot work: " + e.getMessage());
    }
    if (method.leader()) {
      leader(method);
    }
  }

  /** The manager that @Transactional will choose; null where that is not seen from here. */
  private @Nullable TransactionManager managerOfOwn(FencedMethod method) {
    if (!method.transactionManager().isEmpty()) {
      return BeanFactoryAnnotationUtils.qualifiedBeanOfType(
          beans, TransactionManager.class, method.transactionManager());
    }
    if (BeanFactoryAnnotationUtils.getQualifierValue(method.method().getDeclaringClass()) != null) {
      return null;
    }
    TransactionManagementConfigurer configurer =
        beans.getBeanProvider(TransactionManagementConfigurer.class).getIfUnique();
    return configurer == null
        ? beans.getBeanProvider(TransactionManager.class).getIfUnique()
        : configurer.annotationDrivenTransactionManager();
  }

  @Override
  public @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
    Object target = invocation.getThis();
    Class<?> type =
        target == null
            ? invocation.getMethod().getDeclaringClass()
            : AopUtils.getTargetClass(target);
    FencedMethod method = method(invocation.getMethod(), type);
    FencedTemplate.Work<@Nullable Object, RuntimeException> work =
        hold ->
            method.ownTransaction()
                ? proceed(invocation)
                : transactions(method)
                    .<@Nullable Object, RuntimeException>run(() -> proceed(invocation));
    @Nullable Object[] arguments = invocation.getArguments();
    return Unwrapped.<@Nullable Object, RuntimeException>call(
        () -> {
          if (method.leader()) {
            return leader(method).callIfLeading(work, arguments);
          }
          Duration own = method.waitTime();
          Duration wait = own == null ? locks.obtain().defaultWait() : own;
          return calls.obtain().call(method.resources(target, arguments), wait, work, arguments);
        });
  }

  private static @Nullable Object proceed(MethodInvocation invocation) {
    try {
      return invocation.proceed();
    } catch (Throwable e) {
      FencedInterceptor.<RuntimeException>throwAsItIs(e);
      throw new AssertionError("unreachable", e);
    }
  }

  /** Lets a checked exception of the method through code that need not know of it. */
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void throwAsItIs(Throwable thrown) throws E {
    throw (E) thrown;
  }

  private FencedMethod method(Method called, Class<?> type) {
    Method method = AopUtils.getMostSpecificMethod(called, type);
    FencedMethod known = methods.get(new Key(method, type));
    if (known == null) {
      known = methods.get(new Key(called, type)); // The class does not know the interface.
    }
    if (known == null) {
      throw new IllegalStateException(
          "@Fenced on %s was not seen when its bean was made, and %s does not know what to do"
              .formatted(called, type.getName()));
    }
    return known;
  }

  private FencedLeader leader(FencedMethod method) {
    String resource = method.names().get(0).toString();
    return locks
        .obtain()
        .leader(resource)
        .orElseThrow(
            () ->
                FencedMethod.refused(
                    method.method(),
                    "has leader = true, but there is no FencedLeader bean for \"%s\": define one"
                        .formatted(resource)));
  }

  private TransactionRunner transactions(FencedMethod method) {
    return transactions.computeIfAbsent(
        method.transactionManager(),
        name -> {
          TransactionManager manager =
              name.isEmpty()
                  ? beans
                      .getBeanProvider(TransactionManager.class)
                      .getIfAvailable(
                          () -> {
                            throw FencedMethod.refused(
                                method.method(),
                                "needs a transaction manager, and there is no such bean");
                          })
                  : BeanFactoryAnnotationUtils.qualifiedBeanOfType(
                      beans, TransactionManager.class, name);
          if (manager instanceof PlatformTransactionManager platform) {
            return new TransactionRunner(
                platform, calls.obtain().fence(), TransactionDefinition.withDefaults());
          }
          throw FencedMethod.refused(
              method.method(),
              "needs a PlatformTransactionManager, but \"%s\" is a %s"
                  .formatted(name, manager.getClass().getName()));
        });
  }
}
