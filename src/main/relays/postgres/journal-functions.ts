/** Second of the three parts of the migration: what is done with operations and members. */
export const JOURNAL_FUNCTIONS_SQL = `CREATE FUNCTION fencepost.relay_known(have jsonb, device text) RETURNS bigint LANGUAGE sql IMMUTABLE
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

`;
