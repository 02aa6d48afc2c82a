CREATE TABLE account (
  id    bigint PRIMARY KEY,
  owner varchar(40) NOT NULL,
  cents bigint NOT NULL CHECK (cents >= 0),
  token bigint NOT NULL DEFAULT 0 -- of the hold that wrote the row last
);

CREATE TABLE transfer (
  id    uuid PRIMARY KEY, -- the client's, so that what is asked twice is done once
  payer bigint NOT NULL REFERENCES account,
  payee bigint NOT NULL REFERENCES account,
  cents bigint NOT NULL CHECK (cents > 0)
);
