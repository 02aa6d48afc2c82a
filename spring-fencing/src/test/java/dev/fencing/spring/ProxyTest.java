package dev.fencing.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import org.aopalliance.intercept.MethodInterceptor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** The annotation is seen wherever a caller can see it, and is the same through every proxy. */
class ProxyTest extends SpringTest {

  /** What the method runs under. */
  private static String here(JdbcTemplate jdbc) {
    return FencedHold.current().resource()
        + " "
        + jdbc.queryForObject("SHOW transaction_isolation", String.class);
  }

  interface Generic<T> {
    @Fenced("generic")
    @Transactional(isolation = Isolation.SERIALIZABLE)
    String run(T argument);
  }

  static class OfInterface implements Generic<String> {
    final JdbcTemplate jdbc;

    OfInterface(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Override
    public String run(String argument) {
      return here(jdbc);
    }
  }

  abstract static class Base<T> {
    @Fenced("base/#{#argument}")
    @Transactional(isolation = Isolation.SERIALIZABLE)
    public String run(T argument) {
      return here(jdbc());
    }

    abstract JdbcTemplate jdbc();
  }

  static class OfBase extends Base<String> {
    final JdbcTemplate jdbc;

    OfBase(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Override
    public String run(String argument) {
      return super.run(argument);
    }

    @Override
    JdbcTemplate jdbc() {
      return jdbc;
    }

    @Fenced("package")
    String ofThePackage() {
      return here(jdbc);
    }
  }

  /** As a Spring Data repository: only the proxy knows the interface. */
  interface Repository {
    @Fenced("query")
    @Transactional(isolation = Isolation.SERIALIZABLE)
    String query();

    @Fenced("save")
    String save(String entity);
  }

  interface Mapper {
    @Fenced("mapper")
    String query();
  }

  static class SimpleRepository {
    public String save(String entity) {
      return FencedHold.current().resource();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Proxies {
    @Bean
    FactoryBean<Repository> repository(JdbcTemplate jdbc) {
      ProxyFactory factory = new ProxyFactory();
      factory.setTarget(new SimpleRepository());
      factory.setInterfaces(Repository.class);
      factory.addAdvice(
          (MethodInterceptor)
              call -> {
                String name = call.getMethod().getName();
                return name.equals("query")
                    ? here(jdbc)
                    : name.equals("save") ? new SimpleRepository().save("x") : call.proceed();
              });
      return factoryBean(Repository.class, (Repository) factory.getProxy());
    }

    @Bean
    FactoryBean<Mapper> mapper(JdbcTemplate jdbc) {
      return factoryBean(
          Mapper.class,
          (Mapper)
              Proxy.newProxyInstance(
                  Mapper.class.getClassLoader(),
                  new Class<?>[] {Mapper.class},
                  (proxy, method, arguments) ->
                      method.getName().equals("query") ? here(jdbc) : "a mapper"));
    }

    private static <T> FactoryBean<T> factoryBean(Class<T> type, T made) {
      return new FactoryBean<>() {
        @Override
        public @Nullable T getObject() {
          return made;
        }

        @Override
        public Class<?> getObjectType() {
          return type;
        }
      };
    }

    @Bean
    @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    Scoped scoped(JdbcTemplate jdbc) {
      return new Scoped(jdbc);
    }
  }

  static class Scoped {
    final @Nullable JdbcTemplate jdbc;

    @SuppressWarnings("unused") // For the proxy, where objects are not made without a constructor.
    Scoped() {
      this(null);
    }

    Scoped(@Nullable JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Fenced("ledger")
    @Transactional(noRollbackFor = UnsupportedOperationException.class)
    public void writeAndThrow() {
      if (jdbc != null) {
        jdbc.update("UPDATE account SET balance = 1 WHERE id = 1");
      }
      throw new UnsupportedOperationException("with a commit");
    }
  }

  private ConfigurableApplicationContext context;

  @BeforeEach
  void start() {
    context = shared(OfInterface.class, OfBase.class, Proxies.class);
  }

  @Test
  void annotationsOfGenericInterfacesAndBaseClassesKeepTheirTransaction() {
    assertThat(context.getBean(Generic.class).getClass()).isNotEqualTo(OfInterface.class);
    @SuppressWarnings("unchecked")
    Generic<String> generic = context.getBean(Generic.class);
    assertThat(generic.run("x")).isEqualTo("generic serializable");
    assertThat(context.getBean(OfBase.class).run("17")).isEqualTo("base/17 serializable");
    assertThat(context.getBean(OfBase.class).ofThePackage()).startsWith("package ");
  }

  @Test
  void annotationsOfAnInterfaceThatOnlyTheProxyImplementsAreSeen() {
    Repository repository = context.getBean(Repository.class);
    assertThat(repository.query()).startsWith("query ");
    assertThat(repository.save("x")).isEqualTo("save");
    assertThat(context.getBean(Mapper.class).query()).startsWith("mapper ");
  }

  @Test
  void aScopedBeanIsFencedOnceByItsOwnRules() {
    Scoped scoped = context.getBean(Scoped.class);
    assertThatThrownBy(scoped::writeAndThrow).isInstanceOf(UnsupportedOperationException.class);
    assertThat(Servers.balance(1)).isEqualTo(1);
  }
}
