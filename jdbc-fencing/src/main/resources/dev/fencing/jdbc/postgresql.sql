-- Guard table of dev.fencing:jdbc-fencing for PostgreSQL 15 and later: one row a fenced resource.
-- The application's role needs SELECT, INSERT and UPDATE on it and nothing else.
CREATE TABLE IF NOT EXISTS fence (
  resource   varchar(255) PRIMARY KEY CHECK (resource <> ''),
  generation bigint       NOT NULL CHECK (generation >= 0), -- raised by an operator after a rebuild
  token      bigint       NOT NULL CHECK (token > 0),       -- the highest fencing token raised
  raise_id   bigint       NOT NULL,                         -- tells two raises of one token apart
  origin     varchar(1024),                                 -- reserved: where the tokens come from
  holder     varchar(255),                                  -- who raised it, for people
  raised_at  timestamptz  NOT NULL                          -- for people; no decision reads it
);
