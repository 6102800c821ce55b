import { parseArgs } from 'node:util';
import { lessen } from './lessen.ts';
import { plant } from './plant.ts';
import { drawSwarm, FAULTS, focus, NAMED_FAULTS, RELAY_FAULTS, withMoves, withRelay } from './swarm.ts';
import type { Fault } from './swarm.ts';

// Runs seeds and prints one line of JSON for each: `node test/sim/run-seeds.ts --from 1 --count 10`. `--story` prints what
// every device wrote as well; `--relay` lets them share a relay, `--postgres` one in a real database; `--wide` adds what the
// other seeds do not have (see swarm.ts); `--moves` has a second register, which agents are moved to and back; `--without` takes kinds of faults away; `--most-devices`, `--most-agents` and
// `--active-ms` make less of a seed; `--watch-oracles` compares what is committed whenever a journal of another device was folded;
// `--plant` breaks the product on purpose. With `--story` it ends with 1 where an invariant was broken.
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '1' },
    without: { type: 'string', default: '' },
    faults: { type: 'string', default: '' },
    devices: { type: 'string', default: '2' },
    'ttl-ms': { type: 'string', default: '3000' },
    'longest-pause-ms': { type: 'string', default: '12000' },
    story: { type: 'boolean', default: false },
    plant: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    'oracle-travels': { type: 'boolean', default: false },
    'journals-travel': { type: 'boolean', default: false },
    'watch-oracles': { type: 'boolean', default: false },
    moves: { type: 'boolean', default: false },
    relay: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    wide: { type: 'boolean', default: false },
    'until-violation': { type: 'boolean', default: false },
    'most-devices': { type: 'string' },
    'most-agents': { type: 'string' },
    'active-ms': { type: 'string' },
  },
});
const listed = (text: string): string[] => text.split(',').filter((name) => name !== '');
const faultsIn = (text: string): Fault[] =>
  listed(text).filter((name): name is Fault =>
    [...FAULTS, ...RELAY_FAULTS, ...NAMED_FAULTS].some((fault) => fault === name),
  );

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
const limits = {
  devices: numberOf(values['most-devices']),
  agents: numberOf(values['most-agents']),
  activeMs: numberOf(values['active-ms']),
};

// Nothing of the product may have been loaded before.
const confirmPlanted = plant(listed(values.plant));
const { Simulation } = await import('./simulation.ts');
confirmPlanted();
const without = new Set(faultsIn(values.without));
const faults = faultsIn(values.faults).filter((fault) => !without.has(fault));
const from = Number(values.from);
const databases = values.postgres ? await (await import('./relay-databases.ts')).RelayDatabases.start() : null;
for (let seed = from; seed < from + Number(values.count); seed += 1) {
  const first = drawSwarm(seed, without, values.wide);
  const plain = values.moves ? withMoves(first) : first;
  const drawn = values.relay ? withRelay(plain, without, (await databases?.next()) ?? null) : plain;
  const whole =
    values.faults === ''
      ? drawn
      : focus(drawn, {
          faults,
          devices: Number(values.devices),
          ttlMs: Number(values['ttl-ms']),
          longestPauseMs: Number(values['longest-pause-ms']),
        });
  const swarm = lessen(whole, limits);
  const startedMs = performance.now();
  const simulation = new Simulation(swarm, {
    tellsStory: values.story,
    only: listed(values.only),
    oracleTravels: values['oracle-travels'],
    journalsTravel: values['journals-travel'],
    moves: values.moves,
    watchesOracles: values['watch-oracles'],
  });
  const { violation, faults: made, coverage, ...outcome } = await simulation.run();
  for (const told of simulation.story ?? []) process.stdout.write(`${told}\n`);
  const line = {
    seed,
    violation: violation?.message ?? null,
    ...outcome,
    size: { devices: swarm.devices, agents: swarm.agents, activeMs: swarm.activeMs },
    tookMs: performance.now() - startedMs,
    faults: Object.fromEntries(made),
    coverage: Object.fromEntries(coverage.counts),
  };
  process.stdout.write(`${JSON.stringify(line)}\n`);
  if (violation !== null && values.story) process.exitCode = 1;
  if (violation !== null && values['until-violation']) break;
}
await databases?.end();
