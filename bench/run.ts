// Runs all benchmarks, or those named: `npm run bench -- effect-cost`. Ratios to what the machine itself can do are what counts.
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { compaction } from './compaction.ts';
import { coordinators } from './coordinators.ts';
import { effectCost } from './effect-cost.ts';
import type { BenchResult } from './effect-cost.ts';
import { search } from './search.ts';
import { sync } from './sync.ts';
import { year } from './year.ts';
import { windowBench } from './window.ts';

const BENCHMARKS: Readonly<Record<string, () => Promise<BenchResult>>> = {
  'effect-cost': effectCost,
  compaction,
  coordinators,
  sync,
  search,
  year,
  window: windowBench,
};

const named = process.argv.slice(2).filter((each) => !each.startsWith('--'));
const unknown = named.filter((name) => !Object.hasOwn(BENCHMARKS, name));
if (unknown.length > 0) {
  console.error(
    `There is no benchmark called ${unknown.join(', ')}. There are: ${Object.keys(BENCHMARKS).join(', ')}.`,
  );
  process.exit(1);
}
const folder = fileURLToPath(new URL('results', import.meta.url));
mkdirSync(folder, { recursive: true });
const machine = {
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  platform: process.platform,
  node: process.version,
};
for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
  if (named.length > 0 && !named.includes(name)) continue;
  console.log(`\n${name} (${machine.cores} cores, ${machine.cpu}, Node ${machine.node})`);
  const result = await benchmark();
  for (const line of result.lines) console.log(line);
  writeFileSync(
    `${folder}/${name}.json`,
    `${JSON.stringify({ name, at: new Date().toISOString(), machine, ...result }, null, 2)}\n`,
  );
}
