package dev.fencing.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.fencing.fixtures.MariaDbServer;
import java.util.Set;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;

class MariaDbRowPermutationTest extends RowPermutationContract {

  @BeforeAll
  static void needsTheServer() {
    assumeTrue(MariaDbServer.shared().isPresent(), "no MariaDB for this kind of machine");
  }

  @Override
  DataSource server() {
    return MariaDbServer.shared().orElseThrow().dataSource();
  }

  @Override
  String[] createTrigger() {
    return new String[] {
      "CREATE TRIGGER log_write AFTER UPDATE ON counter FOR EACH ROW"
          + " INSERT INTO written SELECT NEW.write_id, NEW.fencing_token"
          + " WHERE NOT NEW.write_id <=> OLD.write_id"
    };
  }

  @Override
  String[] dropTrigger() {
    return new String[0]; // It went with its table.
  }

  @Override
  Set<Broken> harmless(Isolation isolation) {
    return Set.of();
  }
}
