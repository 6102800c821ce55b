import { CHECKPOINT_FUNCTIONS_SQL } from './checkpoint-functions.ts';
import { JOURNAL_FUNCTIONS_SQL } from './journal-functions.ts';

/** First of the three parts of the migration. */
const TABLES_SQL = `-- Fencepost's journals on PostgreSQL 13 or later, version 20.
--
-- Run it once, after 0010-register.sql, in the same database and as the role that owns the register. It runs in one transaction.
-- Nothing here can be read by whoever runs the database, besides ids, times and sizes: every box and every part is encrypted on
-- the devices. Members of fencepost_app call the functions below and touch no table by themselves.

BEGIN;

CREATE TABLE fencepost.relay_meta (
  only_row       boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  schema_version integer NOT NULL
);
INSERT INTO fencepost.relay_meta (schema_version) VALUES (20);

-- A person's devices share one space, and a database holds any number of them. The row is locked by whatever changes more than
-- one journal. Ids are compared byte by byte, whatever the language of the database.
CREATE TABLE fencepost.relay_spaces (
  space_id text COLLATE "C" PRIMARY KEY
);

-- One row for each device's journal: "head" is the last operation held without a gap before it, everything up to "dropped" is
-- only in the checkpoint. All operations in between are in the next table. The row is locked by whatever changes its journal.
CREATE TABLE fencepost.relay_journals (
  space_id  text   COLLATE "C" NOT NULL,
  device_id text   COLLATE "C" NOT NULL,
  head      bigint NOT NULL DEFAULT 0 CHECK (head <= 9007199254740991),
  dropped   bigint NOT NULL DEFAULT 0 CHECK (dropped BETWEEN 0 AND head),
  PRIMARY KEY (space_id, device_id)
);

CREATE TABLE fencepost.relay_operations (
  space_id  text   COLLATE "C" NOT NULL,
  device_id text   COLLATE "C" NOT NULL,
  seq       bigint NOT NULL CHECK (seq > 0),
  wall_ms   bigint NOT NULL CHECK (wall_ms >= 0),
  counter   bigint NOT NULL CHECK (counter >= 0),
  box       text   COLLATE "C" NOT NULL CHECK (octet_length(box) <= 8388608),
  PRIMARY KEY (space_id, device_id, seq)
);
-- What is encrypted does not become shorter.
ALTER TABLE fencepost.relay_operations ALTER box SET STORAGE EXTERNAL;

-- "acknowledged" is a frontier: the last operation of each device that this member will not ask for again.
CREATE TABLE fencepost.relay_members (
  space_id     text        COLLATE "C" NOT NULL,
  device_id    text        COLLATE "C" NOT NULL,
  last_seen    timestamptz NOT NULL,
  acknowledged jsonb       NOT NULL DEFAULT '{}',
  is_let_go    boolean     NOT NULL DEFAULT false,
  PRIMARY KEY (space_id, device_id)
);

-- A checkpoint comes part by part under a name of its own, and counts from the moment when all of it is there.
CREATE TABLE fencepost.relay_checkpoints (
  space_id      text        COLLATE "C" NOT NULL,
  upload_id     uuid        NOT NULL,
  state         text        NOT NULL CHECK (state IN ('coming', 'newest', 'replaced')),
  checkpoint_id text        COLLATE "C" NOT NULL,
  device_id     text        COLLATE "C" NOT NULL,
  frontier      jsonb       NOT NULL,
  part_count    integer     NOT NULL CHECK (part_count BETWEEN 1 AND 4096),
  touched_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (space_id, upload_id)
);
CREATE UNIQUE INDEX relay_one_newest ON fencepost.relay_checkpoints (space_id) WHERE state = 'newest';

CREATE TABLE fencepost.relay_checkpoint_parts (
  space_id  text    COLLATE "C" NOT NULL,
  upload_id uuid    NOT NULL,
  place     integer NOT NULL CHECK (place BETWEEN 0 AND 4095),
  part      text    COLLATE "C" NOT NULL CHECK (octet_length(part) <= 8388608),
  PRIMARY KEY (space_id, upload_id, place),
  FOREIGN KEY (space_id, upload_id) REFERENCES fencepost.relay_checkpoints
);
ALTER TABLE fencepost.relay_checkpoint_parts ALTER part SET STORAGE EXTERNAL;

`;

/**
 * The migration of PostgreSQL, word for word what `migrations/0020-journals.sql` says: a program that was bundled has no file to
 * read. Installing and that file are the same by a test.
 */
export const POSTGRES_RELAY_SQL = TABLES_SQL + JOURNAL_FUNCTIONS_SQL + CHECKPOINT_FUNCTIONS_SQL;

/** What `fencepost.relay_meta` says of it. */
export const POSTGRES_RELAY_VERSION = 20;
