-- Tables of dev.fencing:jdbc-fencing for MariaDB 10.6 and later, schema version 1.
-- Safe to run again. Usable as a migration of Flyway or Liquibase as it stands.

-- The guard table: one row a fenced resource.
-- The application's role needs SELECT, INSERT and UPDATE on it and nothing else.
-- A resource and an operation_id that are shorter than 255, or an origin than 1024, are refused.
-- The collation tells 'a', 'A', 'ä' and 'a ' apart, which most do not.
CREATE TABLE IF NOT EXISTS fence (
  resource   varchar(255)  NOT NULL PRIMARY KEY CHECK (resource <> ''),
  generation bigint        NOT NULL CHECK (generation >= 0), -- raised by an operator after a rebuild
  token      bigint        NOT NULL CHECK (token > 0),       -- the highest fencing token raised
  raise_id   bigint        NOT NULL,                         -- tells two raises of one token apart
  origin     varchar(1024),                                  -- where the tokens come from, if said
  holder     varchar(255),                                   -- who raised it, for people
  raised_at  datetime(6)   NOT NULL                          -- UTC, for people; no decision reads it
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;

-- Operations that are applied once: one row each. Needs SELECT and INSERT, and DELETE to forget.
CREATE TABLE IF NOT EXISTS fence_operation (
  resource     varchar(255) NOT NULL,
  operation_id varchar(255) NOT NULL,
  generation   bigint       NOT NULL,                        -- of the token
  token        bigint       NOT NULL,                        -- under which it was applied
  applied_at   datetime(6)  NOT NULL,                        -- UTC, for people; no decision reads it
  PRIMARY KEY (resource, operation_id)
) ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
