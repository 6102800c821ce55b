-- Fencepost's register on PostgreSQL 13 or later, version 10.
--
-- Run it once in the database that keeps the register, as the role that shall own it. An owner that nobody signs in with is best:
--   CREATE ROLE fencepost_owner; GRANT CREATE ON DATABASE ... TO fencepost_owner; SET ROLE fencepost_owner;
-- Fencepost itself signs in as a role that is a member of fencepost_app and owns nothing:
--   CREATE ROLE anna LOGIN PASSWORD '...' IN ROLE fencepost_app;
-- It runs in one transaction. Nothing outside of the schema "fencepost" is touched, besides the role fencepost_app.

BEGIN;

CREATE SCHEMA fencepost;

-- Which register this is, and on which server it was made. A copy of it on another server, and one that was failed over to or
-- restored, differ from what stands here, and are refused until a person has confirmed them (confirm_restore below).
CREATE TABLE fencepost.meta (
  only_row          boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  coordinator_id    uuid    NOT NULL,
  incarnation       uuid    NOT NULL,
  system_identifier bigint  NOT NULL,
  timeline_id       integer NOT NULL,
  schema_version    integer NOT NULL
);

-- One row for each agent, kept for ever. "record" is Fencepost's own text; whether its lease is live is for the clock of this
-- server to say. "clock_high_water" is the latest time at which anything was decided about the agent: no later decision is made
-- at an earlier time, even if the clock of the server is set back. Room is left for updates in place.
CREATE TABLE fencepost.register (
  agent_id         text        PRIMARY KEY,
  epoch            bigint      NOT NULL DEFAULT 0 CHECK (epoch >= 0),
  record           text        CHECK (record IS NOT NULL OR epoch = 0),
  expires_at       timestamptz NOT NULL DEFAULT '-infinity',
  clock_high_water timestamptz NOT NULL DEFAULT '-infinity',
  updated_at       timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 50);

CREATE FUNCTION fencepost.refuse_removal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Fencepost: what its register keeps is never deleted';
END $$;

CREATE FUNCTION fencepost.refuse_going_back() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.agent_id <> old.agent_id THEN RAISE EXCEPTION 'Fencepost: an agent keeps its name'; END IF;
  IF new.epoch < old.epoch THEN RAISE EXCEPTION 'Fencepost: an epoch never goes down'; END IF;
  IF new.clock_high_water < old.clock_high_water THEN RAISE EXCEPTION 'Fencepost: its clock never goes back'; END IF;
  RETURN new;
END $$;

CREATE FUNCTION fencepost.refuse_another_name() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF new.coordinator_id <> old.coordinator_id THEN RAISE EXCEPTION 'Fencepost: a register keeps its name'; END IF;
  RETURN new;
END $$;

CREATE TRIGGER register_rows_stay BEFORE DELETE ON fencepost.register
  FOR EACH ROW EXECUTE FUNCTION fencepost.refuse_removal();
CREATE TRIGGER register_stays BEFORE TRUNCATE ON fencepost.register
  FOR EACH STATEMENT EXECUTE FUNCTION fencepost.refuse_removal();
CREATE TRIGGER register_never_goes_back BEFORE UPDATE ON fencepost.register
  FOR EACH ROW EXECUTE FUNCTION fencepost.refuse_going_back();
CREATE TRIGGER meta_row_stays BEFORE DELETE ON fencepost.meta
  FOR EACH ROW EXECUTE FUNCTION fencepost.refuse_removal();
CREATE TRIGGER meta_stays BEFORE TRUNCATE ON fencepost.meta
  FOR EACH STATEMENT EXECUTE FUNCTION fencepost.refuse_removal();
CREATE TRIGGER meta_keeps_its_name BEFORE UPDATE ON fencepost.meta
  FOR EACH ROW EXECUTE FUNCTION fencepost.refuse_another_name();

-- The history of the log that this server writes right now. It changes at every failover and every restore that replays the log.
-- (The control file tells as well, but only from the first checkpoint after a failover on.)
CREATE FUNCTION fencepost.timeline() RETURNS integer LANGUAGE sql VOLATILE AS $$
  SELECT ('x' || substr(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()), 1, 8))::bit(32)::integer
$$;

-- Takes the row of one agent for the rest of the transaction, and only then looks at the clock: whoever looked first would judge
-- a lease by the time before the wait. Tells in the same transaction which register and which server answer, so that a pooler may
-- hand every transaction to another connection. "only_look": nothing follows, so what was seen of the clock is kept at once. A look
-- takes the row as well, and makes it where there is none: it then waits for every decision that is on its way, and a server that
-- was cut off from its standby cannot complete it.
CREATE FUNCTION fencepost.lock_agent(agent text, only_look boolean)
RETURNS TABLE (
  coordinator_id uuid, incarnation uuid, schema_version integer, is_same_server boolean,
  epoch bigint, record text, now_us bigint, left_us bigint
)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  known fencepost.meta;
  found_row fencepost.register;
  at_time timestamptz;
BEGIN
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'Fencepost: this server is a standby' USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  SELECT * INTO STRICT known FROM fencepost.meta;
  coordinator_id := known.coordinator_id;
  incarnation := known.incarnation;
  schema_version := known.schema_version;
  is_same_server := known.timeline_id = fencepost.timeline()
    AND known.system_identifier = (SELECT system.system_identifier FROM pg_control_system() AS system);
  epoch := 0;
  now_us := 0;
  left_us := 0;
  IF NOT is_same_server THEN
    RETURN NEXT;
    RETURN;
  END IF;

  SELECT * INTO found_row FROM fencepost.register AS r WHERE r.agent_id = agent FOR UPDATE;
  IF NOT FOUND THEN
    -- Waits for whoever is making the row at this moment.
    INSERT INTO fencepost.register (agent_id) VALUES (agent) ON CONFLICT DO NOTHING;
    SELECT * INTO STRICT found_row FROM fencepost.register AS r WHERE r.agent_id = agent FOR UPDATE;
  END IF;

  at_time := greatest(clock_timestamp(), found_row.clock_high_water);
  IF only_look THEN
    UPDATE fencepost.register AS r SET clock_high_water = at_time WHERE r.agent_id = agent;
  END IF;
  epoch := found_row.epoch;
  record := found_row.record;
  now_us := round(extract(epoch FROM at_time) * 1000000);
  IF found_row.expires_at > at_time THEN
    left_us := round(extract(epoch FROM found_row.expires_at - at_time) * 1000000);
  END IF;
  RETURN NEXT;
END $$;

-- A person says that this server, which was failed over to or restored, is the register from now on. It gets a new incarnation,
-- so every device notices. Does nothing where nothing differs, or where somebody else has confirmed already.
CREATE FUNCTION fencepost.confirm_restore(seen_incarnation uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  server bigint := (SELECT system.system_identifier FROM pg_control_system() AS system);
  history integer := fencepost.timeline();
BEGIN
  PERFORM FROM fencepost.meta FOR UPDATE;
  UPDATE fencepost.meta AS m SET incarnation = gen_random_uuid(), system_identifier = server, timeline_id = history
    WHERE m.incarnation = seen_incarnation AND (m.system_identifier <> server OR m.timeline_id <> history);
  RETURN FOUND;
END $$;

INSERT INTO fencepost.meta (coordinator_id, incarnation, system_identifier, timeline_id, schema_version)
  SELECT gen_random_uuid(), gen_random_uuid(), system.system_identifier, fencepost.timeline(), 10
  FROM pg_control_system() AS system;

-- Who may do what. Members of fencepost_app read, lock a row, and change it; they cannot delete, truncate, drop or alter anything,
-- and they own nothing. Where this role may not be made, the owner alone can use the register.
REVOKE ALL ON ALL TABLES IN SCHEMA fencepost FROM PUBLIC;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA fencepost FROM PUBLIC;

DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'fencepost_app') THEN
    CREATE ROLE fencepost_app NOLOGIN;
  END IF;
EXCEPTION
  WHEN insufficient_privilege THEN RAISE NOTICE 'Fencepost: the role fencepost_app was not made; only the owner can use the register';
  -- Made at the same moment for another database of this server.
  WHEN duplicate_object OR unique_violation THEN NULL;
END $$;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'fencepost_app') THEN
    GRANT USAGE ON SCHEMA fencepost TO fencepost_app;
    GRANT SELECT ON fencepost.meta, fencepost.register TO fencepost_app;
    GRANT UPDATE (epoch, record, expires_at, clock_high_water, updated_at) ON fencepost.register TO fencepost_app;
    GRANT EXECUTE ON FUNCTION fencepost.timeline(), fencepost.lock_agent(text, boolean), fencepost.confirm_restore(uuid)
      TO fencepost_app;
  END IF;
END $$;

COMMIT;
