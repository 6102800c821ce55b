import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import type { CondensingTerms } from '../../src/main/host/sync/condensing.ts';
import { Random } from '../harness/random.ts';

/** Kinds of trouble. A seed draws which of them it has, so that rare combinations occur. */
export const FIRST_FAULTS = [
  'message-lost',
  'reply-lost',
  'message-repeated',
  'message-late',
  'cut',
  'one-way-cut',
  'pause',
  'crash',
  'crash-at-commit',
  'crash-at-point',
  'commit-error',
  'disk-busy',
  'disk-full',
  'disk-lies',
  'sleep',
  'reboot',
  'wall-step',
  'false-suspend',
  'slow-timers',
  'register-crash',
  'register-error',
  'register-restored',
] as const;
/** Drawn only for wide seeds, from numbers of their own. */
export const LATER_FAULTS = ['busy-storm', 'disk-dead', 'disk-lies-in-part'] as const;
export const FAULTS = [...FIRST_FAULTS, ...LATER_FAULTS] as const;
/**
 * Never drawn, only asked for by name, because the product holds against it in part: a disk that lied lost the newest part of a
 * record, and its host goes on under the same name. Where it lost one attempt only, it takes that for one that never left.
 */
export const NAMED_FAULTS = ['disk-lies-unnoticed'] as const;
/** Those of a relay, which the devices of some simulations share their journals through. */
export const RELAY_FAULTS = ['relay-gone', 'relay-full', 'relay-error', 'file-late', 'file-cut', 'file-twice'] as const;
/** Those that only a folder can have, which another program carries from machine to machine. */
const FOLDER_FAULTS: ReadonlySet<Fault> = new Set(['file-late', 'file-cut', 'file-twice']);
export type Fault = (typeof FAULTS)[number] | (typeof NAMED_FAULTS)[number] | (typeof RELAY_FAULTS)[number];

/** The relay of one seed. */
export interface RelayPlan {
  readonly kind: 'hub' | 'folder' | 'postgres';
  /** A database for this simulation alone, where it is one. */
  readonly database: PostgresOptions | null;
  /** Entries of one page at the most. */
  readonly pageOperations: number;
  readonly condensing: CondensingTerms;
  /** When the last device is new, and finds what the others wrote until then, ms; 0 where it begins with them. */
  readonly latecomerMs: number;
}

/**
 * What one seed simulates. The send window (X) is not drawn: it is a constant of the protocol, which every device and every
 * register has to agree on, since the hold-off of one rests on the window of all others (section 5, rule 5).
 */
export interface Swarm {
  readonly seed: number;
  readonly devices: number;
  /** The register in the store of the only device, or a node of its own. */
  readonly register: 'embedded' | 'remote';
  readonly ttlMs: number;
  readonly agents: number;
  readonly faults: ReadonlySet<Fault>;
  /** How often something goes wrong, as a factor. */
  readonly intensity: number;
  /** How long people are at work, ms; how long everything rests before that and after, ms. */
  readonly activeMs: number;
  readonly restMs: number;
  readonly latencyMs: number;
  /** How many ms pass between two things a person does, on average. */
  readonly personMs: number;
  /** How often the world answers that it did not do what it was asked, 0 to 1. */
  readonly refusalShare: number;
  /** The longest pause between what the register said and what is done about it, ms. */
  readonly longestPauseMs: number;
  /** How the devices share their journals; `null` if they do not, or not through a relay. */
  readonly relay: RelayPlan | null;
  /** One clock of a device runs wrong, from half to twice as fast; the others keep within what the protocol tolerates. */
  readonly hasBadClock: boolean;
  /** Whether it is one of the seeds with the later kinds of faults, registers put back under several devices, crowds and long nights. */
  readonly isWide: boolean;
}

/** What a seed is narrowed down to. */
export interface Focus extends Pick<Swarm, 'devices' | 'ttlMs' | 'longestPauseMs'> {
  readonly faults: readonly Fault[];
}

/** Narrows a seed down to one kind of trouble, and a lot of it: for planted bugs, which random mixtures find less often. */
export function focus(swarm: Swarm, on: Focus): Swarm {
  const { faults, devices, ttlMs, longestPauseMs } = on;
  const register = devices === 1 ? swarm.register : 'remote';
  const few = {
    agents: 1,
    activeMs: 1.5 * swarm.activeMs,
    intensity: 3,
    personMs: 1_500,
    restMs: 0,
    latencyMs: 20,
    hasBadClock: false,
    refusalShare: 0.25,
  };
  return { ...swarm, ...few, devices, register, ttlMs, longestPauseMs, faults: new Set(faults) };
}

/**
 * Draws what a seed is about. `without` takes faults away, for shrinking. `isWide`: with everything that may happen; the other
 * seeds keep the worlds that they had before there was more.
 */
export function drawSwarm(seed: number, without: ReadonlySet<Fault> = new Set(), isWide = false): Swarm {
  const random = new Random(seed, 'swarm');
  const devices = random.pick([1, 2, 2, 2, 3, 4]);
  const share = random.pick([0.3, 0.5, 0.8]);
  const drawn = FIRST_FAULTS.filter(() => random.chance(share));
  const register = devices === 1 && random.chance(0.6) ? 'embedded' : 'remote';
  const later = new Random(seed, 'later faults');
  const drawnLater = LATER_FAULTS.filter(() => isWide && later.chance(LATER_SHARE));
  const swarm: Swarm = {
    seed,
    devices,
    register,
    ttlMs: random.pick([3_000, 3_000, 6_000, 15_000]),
    agents: random.pick([1, 1, 2, 3]),
    faults: new Set(
      [...drawn, ...drawnLater].filter(
        (fault) => !without.has(fault) && isPossible(fault, { devices, register, drawn, isWide }),
      ),
    ),
    intensity: random.pick([0.3, 1, 3]),
    activeMs: random.between(80_000, 320_000),
    restMs: random.between(2, 7) * 3_600_000,
    latencyMs: random.pick([1, 20, 150]),
    personMs: random.pick([1_500, 4_000, 12_000, 30_000]),
    hasBadClock: random.chance(0.2),
    refusalShare: 0.08,
    relay: null,
    longestPauseMs: 12_000,
    isWide,
  };
  return isWide ? withLongNight(withCrowd(swarm, later), later) : swarm;
}

/** How often a seed has each of the faults that are drawn later. */
const LATER_SHARE = 0.3;
/** One seed in so many has more devices than people usually have, and one in so many rests for days. */
const CROWD_SEEDS = 40;
const LONG_NIGHT_SEEDS = 100;

/** Up to seven devices; with one agent and less time, so that it takes little longer than another seed. */
function withCrowd(swarm: Swarm, random: Random): Swarm {
  const devices = 5 + random.below(3);
  if (!random.chance(1 / CROWD_SEEDS) || swarm.register === 'embedded') return swarm;
  return { ...swarm, devices, agents: 1, activeMs: swarm.activeMs / 3 };
}

/** Messages come again up to three days later: in some seeds everybody is still there by then. */
function withLongNight(swarm: Swarm, random: Random): Swarm {
  const isLong = random.chance(1 / LONG_NIGHT_SEEDS) && swarm.faults.has('message-repeated');
  return isLong ? { ...swarm, restMs: random.between(73, 78) * 3_600_000 } : swarm;
}

/** A register that nobody prunes is full in the end, and whoever has something to do asks it all night. */
const LONGEST_REST_MS = 3_600_000;
/** Who would know what both had, where the record of a device, or a register, is not what it was? */
const NOT_BESIDE: readonly Fault[] = ['register-restored', 'disk-lies', 'disk-lies-in-part'];

/** The same seed with two registers, and a person who moves every agent from one to the other and back. */
export function withMoves(swarm: Swarm): Swarm {
  const faults = [...swarm.faults].filter((fault) => !NOT_BESIDE.includes(fault));
  const restMs = Math.min(swarm.restMs, LONGEST_REST_MS);
  return { ...swarm, restMs, faults: new Set(faults), register: 'remote', devices: Math.max(2, swarm.devices) };
}

/** Nothing is condensed before a simulation is over. */
const NEVER_CONDENSED: CondensingTerms = {
  retentionMs: Number.MAX_SAFE_INTEGER,
  lookEveryMs: 86_400_000,
  checkpointEntries: Number.MAX_SAFE_INTEGER,
};

/**
 * The same seed with several devices that share their journals through a relay, which has troubles of its own: a hub or a
 * folder, or the database that is given.
 */
export function withRelay(
  swarm: Swarm,
  without: ReadonlySet<Fault> = new Set(),
  database: PostgresOptions | null = null,
): Swarm {
  const random = new Random(swarm.seed, 'relay');
  const share = random.pick([0.3, 0.6]);
  const drawnKind = random.pick(['hub', 'hub', 'folder'] as const);
  const kind = database === null ? drawnKind : 'postgres';
  const isPossibleHere = (fault: Fault): boolean =>
    kind === 'folder'
      ? fault !== 'relay-error'
      : !FOLDER_FAULTS.has(fault) && (kind === 'hub' || fault !== 'relay-full');
  const drawn = RELAY_FAULTS.filter((fault) => random.chance(share) && !without.has(fault) && isPossibleHere(fault));
  const condensing: CondensingTerms = random.chance(0.35)
    ? NEVER_CONDENSED
    : {
        retentionMs: random.pick([0, 30_000]),
        lookEveryMs: random.pick([5_000, 20_000]),
        checkpointEntries: random.pick([1, 20, 100]),
      };
  // They ask the relay every other second, all night long.
  const activeMs = random.between(60_000, 240_000);
  const restMs = random.between(30_000, 120_000);
  const pageOperations = random.pick([70, 70, 200, 1_000]);
  const latecomerMs = random.chance(0.5) ? activeMs * random.between(0.4, 0.8) : 0;
  const known = [...swarm.faults].filter((fault) => swarm.isWide || fault !== 'register-restored');
  return {
    ...swarm,
    devices: Math.max(2, swarm.devices),
    register: 'remote',
    faults: new Set([...known, ...drawn]),
    activeMs,
    restMs,
    relay: { kind, database, pageOperations, condensing, latecomerMs },
  };
}

/**
 * Not every fault may meet every set-up: a disk that lies takes an embedded register with it, and where both a record and the
 * register have gone back, nobody is left who knows what both have lost.
 */
function isPossible(
  fault: Fault,
  of: Pick<Swarm, 'devices' | 'register' | 'isWide'> & { readonly drawn: readonly Fault[] },
): boolean {
  if (fault === 'disk-lies-in-part' && of.drawn.includes('register-restored')) return false;
  const isAlone = of.devices === 1 && !of.drawn.includes('disk-lies');
  if (of.register === 'remote') return of.isWide || fault !== 'register-restored' || isAlone;
  const needsNetwork: readonly Fault[] = [
    'message-lost',
    'reply-lost',
    'message-repeated',
    'message-late',
    'cut',
    'one-way-cut',
    'register-crash',
    'register-error',
    'register-restored',
    'disk-lies',
    'disk-lies-in-part',
  ];
  return !needsNetwork.includes(fault);
}
