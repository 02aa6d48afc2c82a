package dev.fencing.examples.job.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.fencing.examples.job.Batch;
import dev.fencing.examples.job.InterestJob;
import dev.fencing.examples.job.JobListener;
import dev.fencing.examples.job.Ledger;
import dev.fencing.fixtures.Fault;
import dev.fencing.fixtures.PostgresServer;
import dev.fencing.fixtures.TcpProxy;
import dev.fencing.jdbc.JdbcFence;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.curator.framework.CuratorFramework;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The answer to a COMMIT of the job is lost on the wire. */
class LostCommitTest {

  private static final int LOST_AT = 50;

  private final TestLedger ledger = TestLedger.create(100);

  @AfterEach
  void dropTheTables() {
    TestLedger.drop();
  }

  @Test
  void theJobGoesOnBehindABatchWhoseCommitWasAppliedButNotAnswered() throws Exception {
    try (TcpProxy proxy = TcpProxy.to(PostgresServer.shared().port());
        HikariDataSource pool = Pools.open(ledger.through(proxy), "job", 2);
        TestZooKeeper zookeeper = TestZooKeeper.start();
        CuratorFramework client = TestZooKeeper.connect(zookeeper.address())) {
      LosesOneCommit listener = new LosesOneCommit(proxy);
      JdbcFence fence = JdbcFence.builder(pool).table(LedgerTables.FENCE).build();

      new InterestJob(client, "/job", fence, new Ledger(InterestJob.RESOURCE, 10), listener).run();

      listener.lost.get(0).await(Duration.ofSeconds(10));
      // No second election, and the batch was not computed twice: its commit had gone through.
      assertThat(listener.tokens).hasSize(1);
      assertThat(listener.computed).containsExactly(0, 10, 20, 30, 40, 50, 60, 70, 80, 90);
      assertThat(ledger.audit(Map.of()).findings()).isEmpty();
    }
  }

  private static final class LosesOneCommit implements JobListener {

    private final TcpProxy proxy;
    private final List<Fault> lost = new ArrayList<>();
    private final List<Long> tokens = new ArrayList<>();
    private final List<Integer> computed = new ArrayList<>();

    private LosesOneCommit(TcpProxy proxy) {
      this.proxy = proxy;
    }

    @Override
    public void leading(long token) {
      tokens.add(token);
    }

    @Override
    public void computed(Batch batch) {
      computed.add(batch.from());
      if (batch.from() == LOST_AT && lost.isEmpty()) {
        lost.add(proxy.dropReplyTo("COMMIT"));
      }
    }
  }
}
