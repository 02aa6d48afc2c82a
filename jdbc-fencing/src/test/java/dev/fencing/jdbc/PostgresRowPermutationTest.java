package dev.fencing.jdbc;

import dev.fencing.fixtures.PostgresServer;
import java.util.Set;
import javax.sql.DataSource;

class PostgresRowPermutationTest extends RowPermutationContract {

  @Override
  DataSource server() {
    return PostgresServer.shared().dataSource();
  }

  @Override
  String[] createTrigger() {
    return new String[] {
      "CREATE FUNCTION log_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
          + " INSERT INTO written VALUES (NEW.write_id, NEW.fencing_token); RETURN NULL; END $$",
      "CREATE TRIGGER log_write AFTER UPDATE OF write_id ON counter"
          + " FOR EACH ROW EXECUTE FUNCTION log_write()"
    };
  }

  @Override
  String[] dropTrigger() {
    return new String[] {"DROP FUNCTION log_write()"};
  }

  @Override
  Set<Broken> harmless(Isolation isolation) {
    return switch (isolation) {
      case READ_COMMITTED -> Set.of();
      // The second to write the row gets a serialization failure.
      case REPEATABLE_READ ->
          Set.of(Broken.READ_BEFORE_THE_CLAIM, Broken.COUNT_IGNORED, Broken.CLAIM_UNCHECKED);
    };
  }
}
