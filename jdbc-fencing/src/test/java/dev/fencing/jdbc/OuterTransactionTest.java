package dev.fencing.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.fencing.jdbc.FencedDataSource.Unbound;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/** A DataSource that joins the transaction of its thread, whose end is not the library's. */
class OuterTransactionTest extends MapperTest {

  private static final String SET = "UPDATE account SET balance = 5 WHERE id = 1";

  private final DataSource joining;
  private final JdbcFence joined;
  private final JdbcTemplate template;
  private final TransactionTemplate outer;

  OuterTransactionTest() {
    super(true);
    joining = new TransactionAwareDataSourceProxy(stack.pool);
    joined = JdbcFence.of(joining);
    template = new JdbcTemplate(stack.pool);
    outer = new TransactionTemplate(new DataSourceTransactionManager(stack.pool));
  }

  @Test
  void aRaiseInItIsRefusedAndTheOuterTransactionGoesOn() throws SQLException {
    refused(() -> joined.raise("ledger", 33));
    assertThat(fence.current("ledger")).isEmpty();
  }

  @Test
  void theSchemaIsNotCreatedInIt() throws SQLException {
    refused(joined::createSchema);
    refused(joined::checkSchema);
  }

  @Test
  void aFencedTransactionInItIsRefused() throws SQLException {
    FencedResource stock = joined.raise("stock", 12);
    refused(() -> stock.inTransaction(connection -> 0));
    refused(() -> stock.update("UPDATE account SET balance = 6"));
  }

  @Test
  void aFencedDataSourceOverItIsRefusedInIt() throws SQLException {
    FencedResource stock = joined.raise("stock", 12);
    JdbcTemplate fenced = new JdbcTemplate(new FencedDataSource(stock.fence(), Unbound.PASS));
    refused(() -> stock.call(hold -> fenced.update("UPDATE account SET balance = 6")));
  }

  @Test
  void aCheckJoinsIt() throws SQLException {
    FencedResource stock = joined.raise("stock", 12);
    outer.executeWithoutResult(
        status -> {
          Connection connection = DataSourceUtils.getConnection(stack.pool);
          stock.check(connection);
          template.update(SET);
          DataSourceUtils.releaseConnection(connection, stack.pool);
        });
    assertThat(balance()).isEqualTo(5);
  }

  @Test
  void outsideOfATransactionItIsAPoolLikeOthersUnlessThatTurnsAutocommitOff() throws SQLException {
    joined.raise("ledger", 33).inTransaction(connection -> Sql.execute(connection, SET));
    assertThat(balance()).isEqualTo(5);

    JdbcFence off = JdbcFence.of(new TransactionAwareDataSourceProxy(stack(false).pool));
    assertThatThrownBy(() -> off.raise("ledger", 34)).isInstanceOf(IllegalStateException.class);
  }

  private void refused(ThrowingCallable work) throws SQLException {
    outer.executeWithoutResult(
        status -> {
          template.update(SET);
          assertThatThrownBy(work)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("DataSource underneath");
          template.update("UPDATE account SET balance = balance + 1 WHERE id = 1");
        });
    assertThat(balance()).as("all of the outer transaction").isEqualTo(6);
    sql.run("UPDATE account SET balance = 100 WHERE id = 1");
  }
}
