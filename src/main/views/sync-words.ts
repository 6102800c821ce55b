import type { SyncView } from '../../shared/contract/sync-views.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import type { QuarantineReason } from '../host/sync/take-in.ts';
import { countText, durationText } from './words.ts';

/** What is so, and what a person can do about it. */
interface SaidWithWayOut {
  readonly sentence: string;
  readonly wayOut: string;
}

type ChainReason = Extract<QuarantineReason, { kind: 'chain' }>['problem'];
type SealReason = Extract<QuarantineReason, { kind: 'cannot-open' }>['problem'];

const SAME_AGAIN = 'Look again. If it stays so, let it go and set Fencepost up anew there.';

/** Why the journal of the device called `name` is put aside, and the way out. */
export function quarantineWords(reason: QuarantineReason, name: string): SaidWithWayOut {
  switch (reason.kind) {
    case 'chain':
      return chainWords(reason.problem, name);
    case 'foreign-signature':
      return {
        sentence: `From entry ${figure(reason.seq)} on, ${name} signs with another key than before. Its profile was probably copied to a second computer.`,
        wayOut: `Close Fencepost on the copy, then look again. If you know of no copy, let ${name} go.`,
      };
    case 'clock-ahead':
      return {
        sentence: `The clock of ${name} is ${aheadText(reason.aheadMs)} ahead of this one.`,
        wayOut: `Set the clock right on whichever of the two is wrong. What ${name} wrote under a wrong clock counts once that time has come; look again then.`,
      };
    case 'cannot-open':
      return sealWords(reason.problem, { name, entry: figure(reason.seq) });
    case 'not-understood':
      return {
        sentence: `Entry ${figure(reason.seq)} of ${name} can’t be taken in by this version. ${name} probably has a newer one.`,
        wayOut: 'Update Fencepost on this device, then look again.',
      };
    case 'let-go':
      return {
        sentence: `${name} was let go. Nothing that it wrote since then counts.`,
        wayOut: 'To take part again, it needs a new profile and the recovery words.',
      };
    case 'too-late':
      return {
        sentence: `Entry ${figure(reason.seq)} of ${name} says that it came before a run of which the single steps were condensed already. Nothing was changed by it.`,
        wayOut: `Check the calendar of ${name}. If it was wrong, give ${name} a new profile.`,
      };
    default:
      return assertNever(reason);
  }
}

function chainWords(problem: ChainReason, name: string): SaidWithWayOut {
  const entry = figure(problem.seq);
  switch (problem.kind) {
    case 'gap':
      return {
        sentence: `Entry ${entry} of ${name} is missing: entry ${figure(problem.found)} came in its place.`,
        wayOut: `Open Fencepost on ${name} until it is in step, then look again.`,
      };
    case 'broken-link':
      return {
        sentence: `${name} tells two stories: its entry ${entry} doesn’t follow from what it wrote before. It was probably restored from a backup.`,
        wayOut: `What came first counts, and nothing was deleted. Let ${name} go and set Fencepost up anew there.`,
      };
    case 'wrong-hash':
      return {
        sentence: `Entry ${entry} of ${name} isn’t what it was when it was written: it was changed or damaged on the way.`,
        wayOut: SAME_AGAIN,
      };
    case 'foreign-device':
      return {
        sentence: `Entry ${entry} in the journal of ${name} is by another device.`,
        wayOut: SAME_AGAIN,
      };
    default:
      return assertNever(problem);
  }
}

function sealWords(problem: SealReason, of: { readonly name: string; readonly entry: string }): SaidWithWayOut {
  const { name, entry } = of;
  switch (problem.kind) {
    case 'unknown-key-epoch':
      return {
        sentence: `Entry ${entry} of ${name} is encrypted with a newer key that has not arrived here.`,
        wayOut: 'Open Fencepost on your other devices until they are in step, then look again.',
      };
    case 'wrong-key-or-changed':
      return {
        sentence: `Entry ${entry} of ${name} doesn’t open with the keys that are here: they come from other recovery words, or it was changed on the way.`,
        wayOut: `Compare the common name on both screens. If they differ, join again on ${name} with the right words.`,
      };
    case 'not-addressed':
      return {
        sentence: `Entry ${entry} of ${name} is encrypted with a key that was not made for this device.`,
        wayOut: 'If this device was let go by mistake, it needs a new profile and the recovery words.',
      };
    case 'malformed':
    case 'too-large':
      return {
        sentence: `Entry ${entry} of ${name} can’t be read: it is damaged, or from a much newer version.`,
        wayOut: 'Update Fencepost on this device, then look again.',
      };
    default:
      return assertNever(problem);
  }
}

/** Hours, as long as they say more than days. */
function aheadText(aheadMs: number): string {
  const hours = Math.round(aheadMs / 3_600_000);
  return hours < 1
    ? durationText(aheadMs)
    : hours < 72
      ? countText(hours, 'hour')
      : countText(Math.round(hours / 24), 'day');
}

function figure(count: number): string {
  return count.toLocaleString('en');
}

/** What a state sentence is made of. */
interface SyncFacts {
  readonly state: SyncView['state'];
  readonly deviceName: string;
  readonly relayName: string;
  /** What the last pass ended with; empty if it went through. */
  readonly trouble: string;
  readonly catchUp: SyncView['catchUp'];
  /** Other devices that were not let go. */
  readonly others: readonly { readonly name: string; readonly lacksOfOurs: number; readonly isPutAside: boolean }[];
  readonly hasSynced: boolean;
}

/** How it stands, in a sentence or two. */
export function syncSentence(facts: SyncFacts): string {
  const { state, relayName } = facts;
  switch (state) {
    case 'off':
      return `${facts.deviceName} shares its record with no other device.`;
    case 'offline':
      return `${relayName} can’t be reached. Nothing is lost: what happens here is kept and handed over later.`;
    case 'catching-up':
      return `${catchUpText(facts.catchUp)} Until it is done, ${facts.deviceName} begins nothing new.`;
    case 'trouble':
      return troubleText(facts);
    case 'ready':
      return facts.hasSynced ? reachedText(facts) : `Looking at ${relayName} for the first time.`;
    default:
      return assertNever(state);
  }
}

function catchUpText(catchUp: SyncFacts['catchUp']): string {
  if (catchUp === null) return 'What came from other devices is being worked in.';
  return `${figure(catchUp.done)} of ${figure(catchUp.total)} entries of other devices are here.`;
}

function troubleText(facts: SyncFacts): string {
  if (facts.trouble !== '') return facts.trouble;
  const aside = facts.others.filter((other) => other.isPutAside).map((other) => other.name);
  const [first = 'a device'] = aside;
  const who = aside.length === 1 ? first : `${aside.length} devices`;
  return `What ${who} wrote is put aside until you have looked. Nothing was deleted.`;
}

function reachedText({ others, deviceName }: SyncFacts): string {
  if (others.length === 0) return 'No other device takes part yet. On another device, join with the recovery words.';
  const behind = others.filter((other) => other.lacksOfOurs > 0);
  const [first] = behind;
  if (first === undefined) {
    const whom = others.length === 1 ? (others[0]?.name ?? '') : `all ${others.length} other devices`;
    return `Everything that ${deviceName} did has reached ${whom}.`;
  }
  const waits =
    behind.length === 1
      ? `${countedEntries(first.lacksOfOurs)} for ${first.name}.`
      : `Some entries wait for ${behind.length} devices.`;
  return `Everything that ${deviceName} did has reached ${others.length - behind.length} of ${countText(others.length, 'other device')}. ${waits}`;
}

function countedEntries(count: number): string {
  return count === 1 ? '1 entry waits' : `${figure(count)} entries wait`;
}
