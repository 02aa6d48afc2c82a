package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;
import org.apache.ibatis.cursor.Cursor;
import org.apache.ibatis.exceptions.PersistenceException;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.ExecutorType;
import org.apache.ibatis.session.SqlSession;
import org.apache.ibatis.session.SqlSessionFactory;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.apache.ibatis.transaction.jdbc.JdbcTransactionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** MyBatis, which throws a refusal as the cause of its PersistenceException. */
@ParameterizedClass(name = "autocommit of the pool: {0}")
@ValueSource(booleans = {true, false})
class MyBatisTest extends MapperTest {

  interface Accounts {
    @Select("SELECT balance FROM account WHERE id = #{id}")
    long balance(int id);

    @Update("UPDATE account SET balance = #{balance} WHERE id = #{id}")
    int set(int id, long balance);

    @Insert("INSERT INTO journal (entry) VALUES (#{entry})")
    @Options(useGeneratedKeys = true, keyProperty = "id")
    int insert(Map<String, Object> entry);

    @Select("SELECT id FROM account ORDER BY id")
    @Options(fetchSize = 1)
    Cursor<Integer> ids();
  }

  private static final Map<Boolean, SqlSessionFactory> FACTORIES = new ConcurrentHashMap<>();

  private final SqlSessionFactory myBatis;

  MyBatisTest(boolean autoCommit) {
    super(autoCommit);
    myBatis = FACTORIES.computeIfAbsent(autoCommit, mode -> build(stack.fenced));
  }

  private static SqlSessionFactory build(FencedDataSource fenced) {
    Configuration configuration =
        new Configuration(new Environment("fenced", new JdbcTransactionFactory(), fenced));
    configuration.addMapper(Accounts.class);
    return new SqlSessionFactoryBuilder().build(configuration);
  }

  @Test
  void holdsFollowEachOtherAndAStaleOneIsRefused() throws SQLException {
    FencedResource old = hold(33);
    old.call(hold -> transact(5));
    FencedResource current = hold(34);

    assertThatThrownBy(() -> old.call(hold -> transact(6)))
        .isInstanceOf(PersistenceException.class)
        .hasCauseInstanceOf(StaleTokenException.class);
    assertThat(balance()).isEqualTo(5);
    current.call(hold -> transact(7));
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void whatItKeepsForABatchIsRefusedWhenItIsSent() throws SQLException {
    FencedResource old = hold(33);
    try (SqlSession session = myBatis.openSession(ExecutorType.BATCH)) {
      old.call(
          hold -> {
            session.getMapper(Accounts.class).set(1, 5);
            return session.getMapper(Accounts.class).set(2, 6);
          });
      hold(34);
      assertThatThrownBy(
              () ->
                  old.call(
                      hold -> {
                        session.commit();
                        return 0;
                      }))
          .isInstanceOf(PersistenceException.class)
          .hasCauseInstanceOf(StaleTokenException.class);
    }
    assertThat(balance()).isEqualTo(100);
    FencedResource current = hold(35);
    try (SqlSession session = myBatis.openSession(ExecutorType.BATCH)) {
      current.call(
          hold -> {
            session.getMapper(Accounts.class).set(1, 7);
            session.getMapper(Accounts.class).set(2, 8);
            session.commit();
            return 0;
          });
    }
    assertThat(balance(2)).isEqualTo(8);
  }

  @Test
  void generatedKeysAutocommitAndCursors() throws SQLException {
    FencedResource old = hold(33);
    Map<String, Object> entry = new ConcurrentHashMap<>(Map.of("entry", "an entry"));
    old.call(
        hold -> {
          try (SqlSession session = myBatis.openSession(true)) {
            session.getMapper(Accounts.class).insert(entry);
            assertThat(entries()).as("committed at once").isEqualTo(1);
            assertThat(entry).containsEntry("id", 1L);
            int sum = 0;
            for (int id : session.getMapper(Accounts.class).ids()) {
              sum += id;
            }
            assertThat(sum).isEqualTo(6);
          }
          return 0;
        });
    hold(34);
    try (SqlSession session = myBatis.openSession(true)) {
      assertThatThrownBy(() -> old.call(hold -> session.getMapper(Accounts.class).set(1, 6)))
          .hasCauseInstanceOf(StaleTokenException.class);
    }
    assertThat(balance()).isEqualTo(100);
  }

  @Test
  void itGoesToTheServerOnceMoreUnderAHoldAndNotOnceMoreWithoutOne() throws Exception {
    assertThat(roundTrips(() -> transact(5))).isEqualTo(3); // read, write, commit
    FencedResource ledger = hold(33);
    assertThat(ledger.<Long, Exception>call(hold -> roundTrips(() -> transact(6)))).isEqualTo(4);
  }

  private long transact(long balance) {
    try (SqlSession session = myBatis.openSession()) {
      Accounts accounts = session.getMapper(Accounts.class);
      long before = accounts.balance(1);
      accounts.set(1, balance);
      session.commit();
      return before;
    }
  }
}
