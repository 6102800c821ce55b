/** Last of the three parts of the migration: checkpoints, what is dropped below them, and who may do what. */
export const CHECKPOINT_FUNCTIONS_SQL = `-- Announces a checkpoint; false where the newest one is the same or knows something that this one does not.
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
`;
