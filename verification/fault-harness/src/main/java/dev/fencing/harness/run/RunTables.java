package dev.fencing.harness.run;

import dev.fencing.harness.arm.Tables;
import dev.fencing.harness.history.LoggedWrite;
import dev.fencing.harness.history.Workload;
import dev.fencing.harness.stage.Database;
import dev.fencing.harness.worker.Order;
import dev.fencing.jdbc.JdbcFence;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The tables of a run, before it and after it. */
final class RunTables {

  private final Database database;
  private final Workload workload;

  RunTables(Database database, Workload workload) {
    this.database = database;
    this.workload = workload;
  }

  /** Makes them anew, the fence included. */
  void create() throws SQLException {
    StringBuilder sql = new StringBuilder(Tables.DDL);
    sql.append("DROP TABLE IF EXISTS fence, fence_operation;");
    for (int lock = 0; lock < Order.LOCKS; lock++) {
      sql.append(Tables.rows(workload, Order.lock(lock)));
    }
    database.run(sql.toString());
    JdbcFence.of(database.dataSource()).createSchema();
  }

  /** What was accepted, by row and version. */
  List<LoggedWrite> log() throws SQLException {
    List<LoggedWrite> log = new ArrayList<>();
    for (List<String> row :
        database.query(
            "SELECT op_id, resource, key, token, ver, read_ver, old, new FROM op_log"
                + " ORDER BY resource, key, ver, op_id")) {
      log.add(
          new LoggedWrite(
              row.get(0),
              row.get(1),
              row.get(2),
              Long.parseLong(row.get(3)),
              Long.parseLong(row.get(4)),
              Long.parseLong(row.get(5)),
              Tables.value(workload, row.get(6)),
              Tables.value(workload, row.get(7))));
    }
    return log;
  }

  /** The sum of all accounts; null without a bank. */
  @Nullable Long total() throws SQLException {
    return workload.isBank()
        ? Long.valueOf(database.query("SELECT sum(value::bigint) FROM guarded").get(0).get(0))
        : null;
  }

  /** What it has to be. */
  @Nullable Long expectedTotal() {
    return workload.isBank() ? Order.LOCKS * Tables.ACCOUNTS * Tables.OPENING_BALANCE : null;
  }
}
