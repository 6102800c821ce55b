// A child process of the race: several contenders on one register in PostgreSQL, each answer sent back to the parent.
import { openPostgresCoordinator } from '../../src/main/coordinators/postgres/postgres-coordinator.ts';
import type { PostgresOptions } from '../../src/main/coordinators/postgres/postgres-options.ts';
import type { DeviceId } from '../../src/shared/contract/identifiers.ts';
import type { RaceOrder } from './register-contender.ts';

const [options = '{}', first = '0', count = '1'] = process.argv.slice(2);
const opened = await openPostgresCoordinator(JSON.parse(options) as PostgresOptions);
if (!opened.ok) throw new Error(opened.error.message);
const coordinator = opened.value;

async function race({ agent, nonce }: RaceOrder): Promise<void> {
  const contenders = Array.from({ length: Number(count) }, (_, index) => Number(first) + index);
  const replies = await Promise.all(
    contenders.map((number) => {
      const deviceId = `device-${number}` as DeviceId;
      return coordinator.ask(agent, { verb: 'acquire', deviceId, nonce: `${nonce}-${number}`, ttlMs: 15_000 });
    }),
  );
  process.send?.(replies);
}

process.on('message', (order) => void race(order as RaceOrder));
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
