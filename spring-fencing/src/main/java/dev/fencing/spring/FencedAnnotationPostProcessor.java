package dev.fencing.spring;

import dev.fencing.curator.InterProcessFencedMutex;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.Advisor;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopInfrastructureBean;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractBeanFactoryAwareAdvisingPostProcessor;
import org.springframework.aop.interceptor.AsyncExecutionInterceptor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/**
 * Makes {@link Fenced} work on the beans of an application, outside of every transaction: it puts
 * itself in front of what the proxy of a bean does already, whatever the order of that.
 *
 * <p>One static {@code @Bean}, or one definition in XML, is all it takes; Spring Boot has it. It
 * uses the beans {@link FencedLocks}, {@code JdbcFence} and the transaction managers, and refuses
 * at start what cannot work: methods that no proxy sees, two beans for one lock path, transactions
 * around the fence.
 */
public final class FencedAnnotationPostProcessor
    extends AbstractBeanFactoryAwareAdvisingPostProcessor implements SmartInitializingSingleton {

  private static final long serialVersionUID = 1L;

  private transient @Nullable ListableBeanFactory beans;
  private transient @Nullable FencedInterceptor interceptor;
  private final transient Queue<FencedMethod> waiting = new ConcurrentLinkedQueue<>();
  private volatile boolean started;

  /** Makes the post-processor. */
  public FencedAnnotationPostProcessor() {
    setBeforeExistingAdvisors(true);
    setProxyTargetClass(true);
    setOrder(Ordered.LOWEST_PRECEDENCE - 10); // Before that of @Async, which so goes in front.
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    super.setBeanFactory(beanFactory);
    beans = (ListableBeanFactory) beanFactory;
    FencedInterceptor made = new FencedInterceptor(beanFactory);
    interceptor = made;
    advisor =
        new DefaultPointcutAdvisor(new AnnotationMatchingPointcut(null, Fenced.class, true), made);
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (bean instanceof AopInfrastructureBean) {
      return bean; // Such as a scoped proxy, behind which is a bean of its own.
    }
    Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
    Map<Method, Fenced> methods = methods(bean, type);
    if (methods.isEmpty()) {
      return bean;
    }
    boolean transactional = hasAdvice(bean, TransactionInterceptor.class);
    boolean async = hasAdvice(bean, AsyncExecutionInterceptor.class);
    methods.forEach(
        (specific, fenced) -> {
          if (async && FencedMethod.isAsync(specific, type)) {
            throw FencedMethod.refused(
                specific,
                "would release its lock before the @Async body has run, because the order of @EnableAsync is so low: leave that at its default");
          }
          FencedMethod added =
              Objects.requireNonNull(interceptor).add(specific, type, fenced, transactional);
          if (started) {
            Objects.requireNonNull(interceptor).require(added);
          } else {
            waiting.add(added);
          }
        });
    return super.postProcessAfterInitialization(bean, beanName);
  }

  /**
   * The fenced methods of a bean: those of its class, and those of interfaces that only its proxy
   * has, as a Spring Data repository or a mapper.
   */
  private static Map<Method, Fenced> methods(Object bean, Class<?> type) {
    Map<Method, Fenced> found = new HashMap<>();
    if (!Proxy.isProxyClass(type)) {
      fenced(type)
          .forEach((m, fenced) -> found.put(AopUtils.getMostSpecificMethod(m, type), fenced));
    }
    if (Proxy.isProxyClass(bean.getClass())) {
      fenced(bean.getClass())
          .forEach(
              (method, fenced) -> {
                if (!found.containsKey(AopUtils.getMostSpecificMethod(method, type))) {
                  found.put(method, fenced);
                }
              });
    }
    return found;
  }

  private static Map<Method, Fenced> fenced(Class<?> type) {
    return AnnotationUtils.isCandidateClass(type, Fenced.class)
        ? MethodIntrospector.selectMethods(
            type, (MethodIntrospector.MetadataLookup<@Nullable Fenced>) FencedMethod::on)
        : Map.of();
  }

  private static boolean hasAdvice(Object bean, Class<?> advice) {
    return bean instanceof Advised advised
        && Arrays.stream(advised.getAdvisors())
            .map(Advisor::getAdvice)
            .anyMatch(advice::isInstance);
  }

  /**
   * Checks what all beans together must be.
   *
   * @throws IllegalStateException if two beans are for one lock path, or a fenced method lacks what
   *     it needs
   */
  @Override
  public void afterSingletonsInstantiated() {
    started = true;
    requireOneBeanForEachPath();
    waiting.forEach(Objects.requireNonNull(interceptor)::require);
    waiting.clear();
  }

  private void requireOneBeanForEachPath() {
    ListableBeanFactory factory = Objects.requireNonNull(beans);
    Map<String, String> byPath = new TreeMap<>();
    factory
        .getBeansOfType(InterProcessFencedMutex.class, false, false)
        .forEach((name, mutex) -> requireNew(byPath, mutex.lockPath(), name));
    factory
        .getBeansOfType(FencedLeader.class, false, false)
        .forEach((name, leader) -> requireNew(byPath, leader.lockPath(), name));
  }

  private static void requireNew(Map<String, String> byPath, String path, String name) {
    String other = byPath.putIfAbsent(path, name);
    if (other != null) {
      throw new IllegalStateException(
          "the beans \"%s\" and \"%s\" are both for the lock path %s: each would keep the other waiting in this process. Define one and inject it in both places"
              .formatted(other, name, path));
    }
  }
}
