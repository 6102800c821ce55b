import type { RelayPlace } from '../../src/main/relays/open-relay.ts';
import type { Relay } from '../../src/main/relays/relay.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import { NATURE } from './event-queue.ts';
import type { EventQueue, Owner } from './event-queue.ts';
import type { FaultLog } from './fault-log.ts';
import type { MachineClock } from './machine-clock.ts';
import type { RelayAnswer } from './observed-relay.ts';
import type { Random } from '../harness/random.ts';
import type { RelayLog } from './relay-log.ts';
import type { Fault, RelayPlan, Swarm } from './swarm.ts';

/** What the relays of one simulation are made of. */
export interface SimRelaysOptions {
  readonly queue: EventQueue;
  readonly random: Random;
  readonly swarm: Swarm;
  readonly plan: RelayPlan;
  readonly faults: FaultLog;
  readonly log: RelayLog;
  /** Of the machine that the relay is on, if it is on one. */
  readonly clock: MachineClock;
  readonly folder: string;
}

/** A machine that reaches the relay. */
export interface MachineOptions {
  readonly name: string;
  readonly randomOfMachine: Random;
  readonly clockOfMachine: MachineClock;
}

export type RelayOpener = (owner: Owner, deviceId: DeviceId, place: RelayPlace) => RelayAnswer<Relay>;

/** One kind of relay with its own troubles. */
export interface SimRelays {
  /** For the next machine. */
  openerFor(machine: MachineOptions): RelayOpener;
  begin(): void;
  /** Whatever is broken works again, and what is under way arrives. */
  end(): void;
  close(): Promise<void>;
}

/** Plans trouble of those kinds that the seed drew, `meanGapMs` apart at intensity 1, until everything is to be well again. */
export function planRelayTrouble<Kind extends Fault>(
  of: Pick<SimRelaysOptions, 'queue' | 'random' | 'swarm' | 'faults'>,
  meanGapMs: Readonly<Record<Kind, number>>,
  make: (kind: Kind) => void,
): void {
  const { queue, random, swarm, faults } = of;
  const plan = (kind: Kind): void => {
    const gapMs = (-Math.log(1 - random.next()) * meanGapMs[kind]) / swarm.intensity;
    queue.after(gapMs, NATURE, () => {
      if (faults.isOver) return;
      plan(kind);
      faults.count(kind);
      make(kind);
    });
  };
  for (const kind of Object.keys(meanGapMs) as Kind[]) if (swarm.faults.has(kind)) plan(kind);
}
