// A child process of the race: several contenders on one register file, each answer sent back to the parent.
import { openFileCoordinator } from '../../src/main/coordinators/sqlite/file-coordinator.ts';
import type { AgentId, DeviceId } from '../../src/shared/contract/identifiers.ts';
import { createFakeClock } from './fake-clock.ts';

/** One race: all contenders of this process ask at once. */
export interface RaceOrder {
  readonly agent: AgentId;
  /** Begins every nonce of this race. */
  readonly nonce: string;
}

const [file = '', first = '0', count = '1'] = process.argv.slice(2);
const opened = openFileCoordinator({ file, clock: createFakeClock() });
if (!opened.ok) throw new Error(opened.error.message);
const coordinator = opened.value;

async function race({ agent, nonce }: RaceOrder): Promise<void> {
  const contenders = Array.from({ length: Number(count) }, (_, index) => Number(first) + index);
  const replies = await Promise.all(
    contenders.map((number) =>
      coordinator.ask(agent, {
        verb: 'acquire',
        deviceId: `device-${number}` as DeviceId,
        nonce: `${nonce}-${number}`,
        ttlMs: 15_000,
      }),
    ),
  );
  process.send?.(replies);
}

process.on('message', (order) => void race(order as RaceOrder));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
