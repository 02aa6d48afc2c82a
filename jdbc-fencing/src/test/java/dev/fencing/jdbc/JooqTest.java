package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jooq.Cursor;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** jOOQ, which throws a refusal as it is. */
@ParameterizedClass(name = "autocommit of the pool: {0}")
@ValueSource(booleans = {true, false})
class JooqTest extends MapperTest {

  private static final Map<Boolean, DSLContext> CONTEXTS = new ConcurrentHashMap<>();
  private static final String SET = "UPDATE account SET balance = ? WHERE id = ?";

  private final DSLContext jooq;

  JooqTest(boolean autoCommit) {
    super(autoCommit);
    jooq =
        CONTEXTS.computeIfAbsent(autoCommit, mode -> DSL.using(stack.fenced, SQLDialect.POSTGRES));
  }

  @Test
  void holdsFollowEachOtherAndAStaleOneIsRefused() throws SQLException {
    FencedResource old = hold(33);
    old.call(hold -> set(1, 5));
    FencedResource current = hold(34);

    assertThatThrownBy(() -> old.call(hold -> set(1, 6))).isInstanceOf(StaleTokenException.class);
    assertThatThrownBy(() -> old.call(hold -> jooq.fetch("SELECT balance FROM account")))
        .isInstanceOf(StaleTokenException.class);
    assertThat(balance()).isEqualTo(5);
    current.call(hold -> set(1, 7));
    assertThat(balance()).isEqualTo(7);
  }

  @Test
  void aNestedTransactionIsASavepointBehindTheCheck() throws SQLException {
    FencedResource ledger = hold(33);
    ledger.call(
        hold -> {
          jooq.transaction(
              outer -> {
                outer.dsl().execute(SET, 5L, 1);
                assertThatThrownBy(
                        () ->
                            outer
                                .dsl()
                                .transaction(
                                    inner -> {
                                      inner.dsl().execute(SET, 6L, 2);
                                      inner.dsl().execute("INSERT INTO account VALUES (1, 1)");
                                    }))
                    .isInstanceOf(DataAccessException.class);
                outer.dsl().execute(SET, 7L, 3);
              });
          return 0;
        });
    assertThat(List.of(balance(1), balance(2), balance(3))).containsExactly(5L, 200L, 7L);
  }

  @Test
  void arraysBatchesGeneratedKeysAndCursors() throws SQLException {
    FencedResource old = hold(33);
    old.call(
        hold -> {
          jooq.transaction(transaction -> everyKind(transaction.dsl()));
          if (autoCommit) {
            everyKind(jooq);
          }
          return 0;
        });
    assertThat(List.of(balance(1), balance(2))).containsExactly(5L, 6L);
    assertThat(entries()).isEqualTo(autoCommit ? 2 : 1);
    hold(34);
    assertThatThrownBy(() -> old.call(hold -> jooq.batch(SET, new Object[] {7L, 1}).execute()))
        .isInstanceOf(StaleTokenException.class);
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void itGoesToTheServerOnceMoreUnderAHoldAndNotOnceMoreWithoutOne() throws Exception {
    assertThat(roundTrips(this::transact)).isEqualTo(3); // read, write, commit
    FencedResource ledger = hold(33);
    assertThat(ledger.<Long, Exception>call(hold -> roundTrips(this::transact))).isEqualTo(4);
  }

  private static void everyKind(DSLContext jooq) {
    jooq.batch(SET, new Object[] {5L, 1}, new Object[] {6L, 2}).execute();
    Record key = jooq.fetchOne("INSERT INTO journal (entry) VALUES ('an entry') RETURNING id");
    assertThat(key).isNotNull();
    List<?> ids =
        jooq.select(DSL.field("id"))
            .from("account")
            .where("id = any(?)", (Object) new Integer[] {1, 2})
            .fetch();
    assertThat(ids).hasSize(2);
    try (Cursor<Record> rows =
        jooq.resultQuery("SELECT id FROM account ORDER BY id").fetchSize(1).fetchLazy()) {
      assertThat(rows.stream().count()).isEqualTo(3);
    }
  }

  private Object transact() {
    return jooq.transactionResult(
        transaction -> {
          transaction.dsl().fetch("SELECT balance FROM account WHERE id = 1");
          return transaction.dsl().execute(SET, 5L, 1);
        });
  }

  private int set(int id, long balance) {
    return jooq.transactionResult(transaction -> transaction.dsl().execute(SET, balance, id));
  }
}
