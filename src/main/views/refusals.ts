import type { ParsedRequestOf } from '../../shared/contract/api.ts';
import type { EventPayloads } from '../../shared/contract/events.ts';
import type { RefusalGroup, RefusalsView } from '../../shared/contract/refusal-views.ts';
import { encodeIdentity } from '../../shared/lib/identity.ts';
import { readOne } from '../store/connection.ts';
import { findAgent, findRun } from '../store/rows.ts';
import { permissionText } from './control-words.ts';
import { countReasons, countRefusals, findRefusals, refusalAgents, refusalDevices } from './refusal-filter.ts';
import type { RefusalRow } from './refusal-filter.ts';
import { refusalWords } from './refusal-words.ts';
import { deviceNameOf, sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';
import { exactTimeText, toolWords } from './words.ts';

/** The most groups in one answer, newest first. */
const REFUSAL_GROUP_LIMIT = 300;

/** Times a device held back, repeats grouped by agent, check, reason, run and device. */
export function refusalsView(source: ViewSource, request: ParsedRequestOf<'refusals.list'>): RefusalsView {
  const rows = findRefusals(source, request, REFUSAL_GROUP_LIMIT + 1);
  const reasons = countReasons(source, request);
  return {
    sequence: sequenceOf(source),
    groups: rows.slice(0, REFUSAL_GROUP_LIMIT).map((row) => groupOf(source, row)),
    isCut: rows.length > REFUSAL_GROUP_LIMIT,
    heldBack: reasons.reduce((sum, { count }) => sum + count, 0),
    reasons,
    total: countRefusals(source),
    agents: refusalAgents(source),
    devices: refusalDevices(source),
  };
}

function groupOf(source: ViewSource, group: RefusalRow): RefusalGroup {
  const { db } = source.connection;
  const run = group.run_id === null ? null : findRun(db, group.run_id);
  const last = readOne<{ facts: string; effect_key: string | null }>(
    db,
    'SELECT facts, effect_key FROM refusals WHERE seq = ?',
    group.seq,
  );
  const facts = JSON.parse(last?.facts ?? '{}') as Record<string, unknown>;
  const step = stepOf(source, group.run_id, last?.effect_key ?? null);
  const holderId = facts['registerHolder'] ?? facts['holder'];
  const deviceName = group.device_id === '' ? null : deviceNameOf(source, group.device_id);
  const isElsewhere = typeof holderId === 'string' && holderId !== group.device_id;
  const words = refusalWords(group.word, group.reason, {
    device: deviceName ?? 'A device',
    holder: isElsewhere ? deviceNameOf(source, holderId) : null,
    done: step === null ? 'sent' : toolWords(step.tool).done,
  });
  // A refusal asks for a person only while its run still waits because of it.
  const stands =
    words.needsPerson &&
    (group.run_id === null ||
      (run !== null && run.ending === null && (run.is_refused === 1 || run.phase === 'needs-recovery')));
  return {
    key: encodeIdentity([group.agent_id, group.word, group.reason, group.run_id ?? '', group.device_id]),
    headline: words.headline,
    meaning: meaningOf(words.meaning, facts),
    whatToDo: stands || (!words.needsPerson && run?.ending === null) ? words.whatToDo : 'Nothing to do.',
    needsPerson: stands,
    word: group.word,
    reason: group.reason,
    count: group.count,
    firstAtMs: group.first_at_ms,
    lastAtMs: group.last_at_ms,
    deviceName,
    agentId: group.agent_id,
    agentName: findAgent(db, group.agent_id)?.name ?? group.agent_id,
    isPermissionAsked: stands && words.isAboutPermission,
    runId: group.run_id,
    runNumber: run?.run_number ?? null,
    facts: factsOf({ facts, step, atMs: group.last_at_ms, deviceName }),
  };
}

/** Where the permission itself was the matter, the sentence that says what about it. */
function meaningOf(meaning: string, { permission }: Record<string, unknown>): string {
  return isStanding(permission) ? `${permissionText(permission)} It waits for a new one.` : meaning;
}

function isStanding(permission: unknown): permission is Parameters<typeof permissionText>[0] {
  return typeof permission === 'object' && permission !== null && 'kind' in permission;
}

function stepOf(
  source: ViewSource,
  runId: string | null,
  effectKey: string | null,
): EventPayloads['intent.recorded'] | null {
  if (runId === null || effectKey === null) return null;
  const row = readOne<{ intent: string }>(
    source.connection.db,
    'SELECT intent FROM attempts WHERE run_id = ? AND effect_key = ? ORDER BY attempt_number DESC LIMIT 1',
    runId,
    effectKey,
  );
  return row === null ? null : (JSON.parse(row.intent) as EventPayloads['intent.recorded']);
}

/** The recorded facts that are plain values, under names a person can read. */
const FACT_NAMES: Readonly<Record<string, string>> = {
  epoch: 'Epoch of this device',
  registerEpoch: 'Epoch at the register',
  currentEpoch: 'Epoch at the register',
  expectedEpoch: 'Epoch seen before',
  answeredEpoch: 'Epoch answered',
  standing: 'Own lease',
  coordinatorId: 'Register',
  stopRequested: 'Stopped',
  barrierActive: 'Paused',
  committedGrantDigest: 'Permission in force',
  currentStateVisit: 'Current visit of the step',
  attemptToken: 'Attempt',
};

function factsOf(of: {
  readonly facts: Record<string, unknown>;
  readonly step: EventPayloads['intent.recorded'] | null;
  readonly atMs: number;
  readonly deviceName: string | null;
}): RefusalGroup['facts'] {
  const { deviceName } = of;
  const atText = exactTimeText(of.atMs);
  const facts = [{ name: 'Asked by', value: deviceName === null ? `A device, ${atText}` : `${deviceName}, ${atText}` }];
  if (of.step !== null) facts.unshift({ name: 'Step', value: of.step.title });
  facts.push({ name: `Left ${deviceName ?? 'it'}`, value: '0 bytes' });
  for (const [key, name] of Object.entries(FACT_NAMES)) {
    if (!Object.hasOwn(of.facts, key)) continue;
    const value = of.facts[key];
    if (value === null) facts.push({ name, value: 'none' });
    else if (typeof value === 'boolean') facts.push({ name, value: value ? 'yes' : 'no' });
    else if (typeof value === 'string' || typeof value === 'number') facts.push({ name, value: String(value) });
  }
  return facts;
}
