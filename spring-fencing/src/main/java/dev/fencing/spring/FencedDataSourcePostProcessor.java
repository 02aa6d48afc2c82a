package dev.fencing.spring;

import dev.fencing.jdbc.FenceListener;
import dev.fencing.jdbc.FencedDataSource;
import dev.fencing.jdbc.JdbcFence;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.util.PatternMatchUtils;

/** Puts the fenced view in the place of the application's DataSource, for all who use it. */
final class FencedDataSourcePostProcessor implements BeanPostProcessor, BeanFactoryAware {

  private final ObjectProvider<FencingProperties> properties;
  private final ObjectProvider<FenceListener> listeners;
  private @Nullable ConfigurableListableBeanFactory beans;
  private @Nullable String chosen;
  private volatile @Nullable JdbcFence fence;

  FencedDataSourcePostProcessor(
      ObjectProvider<FencingProperties> properties, ObjectProvider<FenceListener> listeners) {
    this.properties = properties;
    this.listeners = listeners;
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    beans = (ConfigurableListableBeanFactory) beanFactory;
  }

  @Override
  public Object postProcessAfterInitialization(Object bean, String beanName) {
    if (!(bean instanceof DataSource dataSource) || !beanName.equals(chosen())) {
      return bean;
    }
    FencingProperties.Jdbc jdbc = properties.getObject().jdbc();
    JdbcFence made = build(dataSource, jdbc);
    fence = made;
    return new FencedDataSource(made, jdbc.unbound());
  }

  private JdbcFence build(DataSource dataSource, FencingProperties.Jdbc jdbc) {
    String[] observed = jdbc.observeOnly().toArray(String[]::new);
    var builder =
        JdbcFence.builder(dataSource)
            .table(jdbc.table())
            .generation(jdbc.generation())
            .raiseTimeout(jdbc.raiseTimeout())
            .checkTimeout(jdbc.checkTimeout())
            .idleInTransactionTimeout(jdbc.idleInTransactionTimeout())
            .observeOnly(resource -> PatternMatchUtils.simpleMatch(observed, resource))
            .listener(new LateListeners(listeners));
    String holder = jdbc.holder();
    return (holder == null ? builder : builder.holder(holder)).build();
  }

  /** Returns the fence, for which the DataSource is made first. */
  JdbcFence fence() {
    ConfigurableListableBeanFactory factory = Objects.requireNonNull(beans);
    String name = chosen();
    factory.getBean(name, DataSource.class);
    JdbcFence made = fence;
    if (made == null) {
      throw new IllegalStateException(
          "the DataSource \"%s\" was made before it could be fenced: something in the application asks for it too early, such as a BeanPostProcessor"
              .formatted(name));
    }
    factory.registerDependentBean(name, "jdbcFence"); // The pool is closed after what uses it.
    return made;
  }

  private String chosen() {
    String known = chosen;
    if (known == null) {
      known = choose(Objects.requireNonNull(beans));
      chosen = known;
    }
    return known;
  }

  private String choose(ConfigurableListableBeanFactory factory) {
    String named = properties.getObject().jdbc().dataSource();
    List<String> names = List.of(factory.getBeanNamesForType(DataSource.class, true, false));
    if (named != null && !named.isEmpty()) {
      if (!names.contains(named)) {
        throw new IllegalStateException(
            "fencing.jdbc.data-source is \"%s\", but the DataSource beans are %s"
                .formatted(named, names));
      }
      return named;
    }
    List<String> candidates = names;
    for (Predicate<BeanDefinition> better :
        List.<Predicate<BeanDefinition>>of(
            FencedDataSourcePostProcessor::isInjectedByType,
            definition -> !definition.isFallback(),
            BeanDefinition::isPrimary)) {
      List<String> those =
          candidates.stream()
              .filter(factory::containsBeanDefinition)
              .filter(name -> better.test(factory.getMergedBeanDefinition(name)))
              .toList();
      candidates = those.isEmpty() ? candidates : those;
    }
    if (candidates.size() != 1) {
      throw new IllegalStateException(
          "there are %d DataSource beans %s in this context and none is primary: name the one that is to be fenced by fencing.jdbc.data-source"
              .formatted(candidates.size(), candidates));
    }
    return candidates.get(0);
  }

  private static boolean isInjectedByType(BeanDefinition definition) {
    return definition.isAutowireCandidate()
        && (!(definition instanceof AbstractBeanDefinition known) || known.isDefaultCandidate());
  }
}
