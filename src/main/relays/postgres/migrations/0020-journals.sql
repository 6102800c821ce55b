-- Fencepost's journals on PostgreSQL 13 or later, version 20.
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

CREATE FUNCTION fencepost.relay_known(have jsonb, device text) RETURNS bigint LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$ SELECT coalesce((have ->> device)::bigint, 0) $$;

CREATE FUNCTION fencepost.relay_covers(have jsonb, need jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT NOT EXISTS (SELECT FROM jsonb_each_text(need) AS n WHERE n.value::bigint > fencepost.relay_known(have, n.key))
$$;

CREATE FUNCTION fencepost.relay_join(one jsonb, other jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE
SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(jsonb_object_agg(most.key, most.seq), '{}') FROM (
    SELECT each.key, max(each.value::bigint) AS seq
    FROM (SELECT * FROM jsonb_each_text(one) UNION ALL SELECT * FROM jsonb_each_text(other)) AS each GROUP BY each.key
  ) AS most
$$;

-- The device is here, and is told what there is. One that was let go is a member again.
CREATE FUNCTION fencepost.relay_contact(asked_space text, asking_device text) RETURNS jsonb
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO fencepost.relay_members AS m (space_id, device_id, last_seen)
    VALUES (asked_space, asking_device, clock_timestamp())
    ON CONFLICT (space_id, device_id) DO UPDATE SET last_seen = greatest(m.last_seen, excluded.last_seen), is_let_go = false;
  RETURN jsonb_build_object(
    'schemaVersion', (SELECT meta.schema_version FROM fencepost.relay_meta AS meta),
    'heads', (SELECT coalesce(jsonb_object_agg(j.device_id, j.head), '{}') FROM fencepost.relay_journals AS j
      WHERE j.space_id = asked_space AND j.head > 0),
    'members', (SELECT jsonb_agg(jsonb_build_object('deviceId', m.device_id, 'acknowledged', m.acknowledged,
        'isLetGo', m.is_let_go, 'lastSeenAtMs', floor(extract(epoch FROM m.last_seen) * 1000)::bigint) ORDER BY m.device_id)
      FROM fencepost.relay_members AS m WHERE m.space_id = asked_space),
    'checkpoint', (SELECT jsonb_build_object('checkpointId', c.checkpoint_id, 'deviceId', c.device_id,
        'frontier', c.frontier, 'partCount', c.part_count)
      FROM fencepost.relay_checkpoints AS c WHERE c.space_id = asked_space AND c.state = 'newest'));
END $$;

-- Keeps operations of one device, all or none. The four arrays are of one length, and in order.
CREATE FUNCTION fencepost.relay_push(
  asked_space text, own_device text, seqs bigint[], walls bigint[], counters bigint[], boxes text[]
) RETURNS jsonb LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  known fencepost.relay_journals;
  at_seq bigint;
BEGIN
  INSERT INTO fencepost.relay_journals (space_id, device_id) VALUES (asked_space, own_device) ON CONFLICT DO NOTHING;
  SELECT * INTO STRICT known FROM fencepost.relay_journals AS j
    WHERE j.space_id = asked_space AND j.device_id = own_device FOR UPDATE;
  IF cardinality(seqs) = 0 THEN RETURN jsonb_build_object('verdict', 'kept', 'head', known.head); END IF;

  SELECT min(seqs[1] + given.place - 1) INTO at_seq FROM unnest(seqs) WITH ORDINALITY AS given (seq, place)
    WHERE given.seq <> seqs[1] + given.place - 1;
  IF seqs[1] > known.head + 1 THEN at_seq := known.head + 1; END IF;
  IF at_seq IS NOT NULL THEN RETURN jsonb_build_object('verdict', 'gap', 'head', known.head, 'seq', at_seq); END IF;

  SELECT min(o.seq) INTO at_seq FROM fencepost.relay_operations AS o
    JOIN unnest(seqs, walls, counters, boxes) AS given (seq, wall_ms, counter, box) ON given.seq = o.seq
    WHERE o.space_id = asked_space AND o.device_id = own_device
      AND o.seq BETWEEN seqs[1] AND seqs[cardinality(seqs)]
      AND (o.wall_ms, o.counter, o.box) IS DISTINCT FROM (given.wall_ms, given.counter, given.box);
  IF at_seq IS NOT NULL THEN RETURN jsonb_build_object('verdict', 'fork', 'head', known.head, 'seq', at_seq); END IF;

  INSERT INTO fencepost.relay_operations (space_id, device_id, seq, wall_ms, counter, box)
    SELECT asked_space, own_device, given.seq, given.wall_ms, given.counter, given.box
    FROM unnest(seqs, walls, counters, boxes) AS given (seq, wall_ms, counter, box) WHERE given.seq > known.head;
  known.head := greatest(known.head, seqs[cardinality(seqs)]);
  UPDATE fencepost.relay_journals AS j SET head = known.head
    WHERE j.space_id = asked_space AND j.device_id = own_device AND j.head < known.head;
  RETURN jsonb_build_object('verdict', 'kept', 'head', known.head);
END $$;

-- One page, of one moment. Its rows are "operation", and at the end of a page that is not the last one "more"; or a single
-- "truncated" or "lost" with the device whose operations are not there, the latter where somebody has deleted rows.
CREATE FUNCTION fencepost.relay_pull(asked_space text, have jsonb, most_operations integer, most_characters bigint)
RETURNS TABLE (kind text, device text, at_seq bigint, at_wall_ms bigint, at_counter bigint, sealed text)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  journal record;
  operation record;
  taken integer := 0;
  characters bigint := 0;
BEGIN
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'Fencepost: this server is a standby' USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  SELECT j.device_id INTO device FROM fencepost.relay_journals AS j
    WHERE j.space_id = asked_space AND j.dropped > fencepost.relay_known(have, j.device_id) ORDER BY j.device_id LIMIT 1;
  IF FOUND THEN
    kind := 'truncated';
    RETURN NEXT;
    RETURN;
  END IF;
  FOR journal IN
    SELECT j.device_id, fencepost.relay_known(have, j.device_id) AS known FROM fencepost.relay_journals AS j
    WHERE j.space_id = asked_space AND j.head > fencepost.relay_known(have, j.device_id) ORDER BY j.device_id
  LOOP
    at_seq := NULL;
    FOR operation IN
      SELECT o.seq, o.wall_ms, o.counter, o.box, octet_length(o.box) AS size FROM fencepost.relay_operations AS o
      WHERE o.space_id = asked_space AND o.device_id = journal.device_id AND o.seq > journal.known
      ORDER BY o.seq LIMIT most_operations - taken + 1
    LOOP
      IF taken > 0 AND (taken >= most_operations OR characters + operation.size > most_characters) THEN
        kind := 'more';
        sealed := NULL;
        RETURN NEXT;
        RETURN;
      END IF;
      taken := taken + 1;
      characters := characters + operation.size;
      kind := 'operation';
      device := journal.device_id;
      at_seq := operation.seq;
      at_wall_ms := operation.wall_ms;
      at_counter := operation.counter;
      sealed := operation.box;
      RETURN NEXT;
    END LOOP;
    IF at_seq IS NULL THEN
      kind := 'lost';
      device := journal.device_id;
      RETURN NEXT;
      RETURN;
    END IF;
  END LOOP;
END $$;

CREATE FUNCTION fencepost.relay_acknowledge(asked_space text, asking_device text, have jsonb) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO fencepost.relay_members AS m (space_id, device_id, last_seen, acknowledged)
    VALUES (asked_space, asking_device, clock_timestamp(), have)
    ON CONFLICT (space_id, device_id) DO UPDATE
    SET acknowledged = fencepost.relay_join(m.acknowledged, excluded.acknowledged), is_let_go = false
$$;

CREATE FUNCTION fencepost.relay_let_go(asked_space text, other_device text) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  UPDATE fencepost.relay_members AS m SET is_let_go = true WHERE m.space_id = asked_space AND m.device_id = other_device
$$;

-- Announces a checkpoint; false where the newest one is the same or knows something that this one does not.
CREATE FUNCTION fencepost.relay_begin_checkpoint(
  asked_space text, new_upload uuid, made_by text, new_checkpoint text, new_frontier jsonb, new_part_count integer
) RETURNS boolean LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO fencepost.relay_spaces (space_id) VALUES (asked_space) ON CONFLICT DO NOTHING;
  PERFORM FROM fencepost.relay_spaces AS s WHERE s.space_id = asked_space FOR UPDATE;
  IF EXISTS (SELECT FROM fencepost.relay_checkpoints AS c WHERE c.space_id = asked_space AND c.state = 'newest'
      AND (c.checkpoint_id = new_checkpoint OR NOT fencepost.relay_covers(new_frontier, c.frontier))) THEN
    RETURN false;
  END IF;
  -- What the same device began before and did not end is not waited for.
  UPDATE fencepost.relay_checkpoints AS c SET state = 'replaced'
    WHERE c.space_id = asked_space AND c.device_id = made_by AND c.state = 'coming';
  INSERT INTO fencepost.relay_checkpoints (space_id, upload_id, state, checkpoint_id, device_id, frontier, part_count)
    VALUES (asked_space, new_upload, 'coming', new_checkpoint, made_by, new_frontier, new_part_count);
  RETURN true;
END $$;

CREATE FUNCTION fencepost.relay_add_parts(asked_space text, own_upload uuid, first_place integer, parts text[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE fencepost.relay_checkpoints AS c SET touched_at = clock_timestamp()
    WHERE c.space_id = asked_space AND c.upload_id = own_upload AND c.state = 'coming';
  IF NOT FOUND THEN RAISE EXCEPTION 'Another checkpoint of this device took the place of this one'; END IF;
  INSERT INTO fencepost.relay_checkpoint_parts (space_id, upload_id, place, part)
    SELECT asked_space, own_upload, first_place + given.place - 1, given.part
    FROM unnest(parts) WITH ORDINALITY AS given (part, place);
END $$;

-- All of it is there: it is the newest one now, and everything up to its frontier counts as held. False as above.
CREATE FUNCTION fencepost.relay_finish_checkpoint(asked_space text, own_upload uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  coming fencepost.relay_checkpoints;
BEGIN
  PERFORM FROM fencepost.relay_spaces AS s WHERE s.space_id = asked_space FOR UPDATE;
  SELECT * INTO coming FROM fencepost.relay_checkpoints AS c
    WHERE c.space_id = asked_space AND c.upload_id = own_upload AND c.state = 'coming' FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'Another checkpoint of this device took the place of this one'; END IF;
  IF coming.part_count <> (SELECT count(*) FROM fencepost.relay_checkpoint_parts AS p
      WHERE p.space_id = asked_space AND p.upload_id = own_upload AND p.place < coming.part_count) THEN
    RAISE EXCEPTION 'A part of the checkpoint is missing';
  END IF;
  IF EXISTS (SELECT FROM fencepost.relay_checkpoints AS c WHERE c.space_id = asked_space AND c.state = 'newest'
      AND NOT fencepost.relay_covers(coming.frontier, c.frontier)) THEN
    UPDATE fencepost.relay_checkpoints AS c SET state = 'replaced' WHERE c.space_id = asked_space AND c.upload_id = own_upload;
    RETURN false;
  END IF;
  UPDATE fencepost.relay_checkpoints AS c SET state = 'replaced' WHERE c.space_id = asked_space AND c.state = 'newest';
  UPDATE fencepost.relay_checkpoints AS c SET state = 'newest' WHERE c.space_id = asked_space AND c.upload_id = own_upload;
  INSERT INTO fencepost.relay_journals AS j (space_id, device_id, head, dropped)
    SELECT asked_space, f.key, f.value::bigint, f.value::bigint FROM jsonb_each_text(coming.frontier) AS f
    WHERE f.value::bigint > 0 ORDER BY f.key COLLATE "C"
    ON CONFLICT (space_id, device_id) DO UPDATE SET head = excluded.head, dropped = excluded.head
    WHERE j.head < excluded.head;
  RETURN true;
END $$;

-- No row where another checkpoint is the newest one by now.
CREATE FUNCTION fencepost.relay_checkpoint_part(asked_space text, asked_checkpoint text, asked_place integer)
RETURNS TABLE (sealed text) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'Fencepost: this server is a standby' USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  RETURN QUERY SELECT p.part FROM fencepost.relay_checkpoints AS c
    JOIN fencepost.relay_checkpoint_parts AS p ON p.space_id = c.space_id AND p.upload_id = c.upload_id
    WHERE c.space_id = asked_space AND c.state = 'newest' AND c.checkpoint_id = asked_checkpoint AND p.place = asked_place;
END $$;

-- Drops at most so many operations that the newest checkpoint covers and every member that was not let go has acknowledged; how
-- many. Parts of checkpoints that were replaced, or did not go on for an hour, go as well, a few at a time.
CREATE FUNCTION fencepost.relay_collect(asked_space text, most_operations integer, most_parts integer) RETURNS integer
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  covered jsonb;
  journal record;
  last_seq bigint;
  gone integer;
  total integer := 0;
BEGIN
  PERFORM FROM fencepost.relay_spaces AS s WHERE s.space_id = asked_space FOR UPDATE;
  SELECT c.frontier INTO covered FROM fencepost.relay_checkpoints AS c WHERE c.space_id = asked_space AND c.state = 'newest';
  -- Without a checkpoint there was none to replace, and nothing to drop below.
  IF NOT FOUND THEN covered := '{}'; END IF;
  FOR journal IN
    SELECT j.device_id, j.dropped, least(j.head, fencepost.relay_known(covered, j.device_id), (
        SELECT coalesce(min(fencepost.relay_known(m.acknowledged, j.device_id)), 0) FROM fencepost.relay_members AS m
        WHERE m.space_id = asked_space AND NOT m.is_let_go)) AS stable
    FROM fencepost.relay_journals AS j WHERE j.space_id = asked_space ORDER BY j.device_id FOR UPDATE OF j
  LOOP
    EXIT WHEN total >= most_operations;
    WITH deleted AS (
      DELETE FROM fencepost.relay_operations AS o
      WHERE o.space_id = asked_space AND o.device_id = journal.device_id AND o.seq IN (
        SELECT first.seq FROM fencepost.relay_operations AS first
        WHERE first.space_id = asked_space AND first.device_id = journal.device_id
          AND first.seq <= greatest(journal.stable, journal.dropped)
        ORDER BY first.seq LIMIT most_operations - total)
      RETURNING o.seq
    ) SELECT count(*), max(deleted.seq) INTO gone, last_seq FROM deleted;
    total := total + gone;
    UPDATE fencepost.relay_journals AS j SET dropped = last_seq
      WHERE j.space_id = asked_space AND j.device_id = journal.device_id AND j.dropped < last_seq;
  END LOOP;

  UPDATE fencepost.relay_checkpoints AS c SET state = 'replaced'
    WHERE c.space_id = asked_space AND c.state = 'coming' AND c.touched_at < clock_timestamp() - interval '1 hour';
  DELETE FROM fencepost.relay_checkpoint_parts AS p USING (
    SELECT old.upload_id, old.place FROM fencepost.relay_checkpoint_parts AS old
    JOIN fencepost.relay_checkpoints AS c ON c.space_id = old.space_id AND c.upload_id = old.upload_id
    WHERE c.space_id = asked_space AND c.state = 'replaced' LIMIT most_parts
  ) AS old WHERE p.space_id = asked_space AND p.upload_id = old.upload_id AND p.place = old.place;
  DELETE FROM fencepost.relay_checkpoints AS c WHERE c.space_id = asked_space AND c.state = 'replaced'
    AND NOT EXISTS (SELECT FROM fencepost.relay_checkpoint_parts AS p WHERE p.space_id = asked_space AND p.upload_id = c.upload_id);
  RETURN total;
END $$;

REVOKE ALL ON ALL TABLES IN SCHEMA fencepost FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA fencepost FROM PUBLIC;

-- Without the role (0010-register.sql) the owner alone can use the journals.
DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'fencepost_app') THEN
    GRANT SELECT ON fencepost.relay_meta TO fencepost_app;
    GRANT EXECUTE ON FUNCTION fencepost.relay_contact(text, text),
      fencepost.relay_push(text, text, bigint[], bigint[], bigint[], text[]),
      fencepost.relay_pull(text, jsonb, integer, bigint),
      fencepost.relay_acknowledge(text, text, jsonb),
      fencepost.relay_let_go(text, text),
      fencepost.relay_begin_checkpoint(text, uuid, text, text, jsonb, integer),
      fencepost.relay_add_parts(text, uuid, integer, text[]),
      fencepost.relay_finish_checkpoint(text, uuid),
      fencepost.relay_checkpoint_part(text, text, integer),
      fencepost.relay_collect(text, integer, integer)
      TO fencepost_app;
  END IF;
END $$;

COMMIT;
