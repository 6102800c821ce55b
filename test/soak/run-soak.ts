// node test/soak/run-soak.ts [--minutes M] [--seed S]: real hosts, killed every few seconds, for as long as you like.
import { parseArgs } from 'node:util';
import { soak } from './soak.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string' }, seed: { type: 'string' } } });
const minutes = Number(values.minutes ?? '2');
const seed = Number(values.seed ?? Date.now() % 1_000_000);
if (!(minutes > 0) || !Number.isInteger(seed))
  throw new Error('--minutes is a number above 0, and --seed a whole one.');
process.stdout.write(`soak: ${minutes} minutes, seed ${seed}\n`);
const { figures, failures } = await soak(minutes, seed);
const words = Object.entries(figures).map(([name, count]) => `${name} ${count}`);
process.stdout.write(`soak: ${words.join(', ')}\n`);
for (const failure of failures) process.stdout.write(`soak: ${failure}\n`);
process.exitCode = failures.length === 0 ? 0 : 1;
