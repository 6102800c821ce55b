// A real host in a process of its own whose event loop stands still for a while at a point, with everything in it.
import { existsSync, readFileSync } from 'node:fs';
import { startApplication } from '../../src/main/compose.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';

/** Which host, when it stands still, and for how long, ms: at least that, and then until there is a file. */
export interface BlockedHostOptions {
  readonly profileFolder: string;
  readonly registerFile: string;
  readonly strategyFile: string;
  readonly blockAt: string;
  readonly blockMs: number;
  readonly goOnFile: string;
}

/** How often it is looked for the file, ms; and when its test has surely been given up. */
const LOOK_MS = 20;
const LONGEST_MS = 120_000;

const options = JSON.parse(process.argv[2] ?? '{}') as BlockedHostOptions;
let hasBlocked = false;

/** Nothing of this process goes on meanwhile, whatever it waits for. */
function standStill(): void {
  const fromMs = Date.now();
  const isOver = (): boolean => Date.now() - fromMs > LONGEST_MS || existsSync(options.goOnFile);
  while (Date.now() - fromMs < options.blockMs || !isOver()) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_MS);
  }
}

const host = must(
  await startApplication({
    ...options,
    surface: 'browser',
    version: '0.0.0-test',
    electronVersion: null,
    passed(point) {
      if (point !== options.blockAt || hasBlocked) return;
      hasBlocked = true;
      process.send?.('blocked');
      standStill();
    },
  }),
);
const { control } = host;
const saved = must(await control.saveAgent('strategy.yaml', readFileSync(options.strategyFile, 'utf8')));
if ('problems' in saved) throw new Error(JSON.stringify(saved.problems));
const { agentId } = saved;
must(await control.authorise(agentId, must(control.previewGrant(agentId)).previewDigest, 'Test'));
must(await control.startRun({ agentId, requestId: 'press', input: {}, by: 'Test' }));
for (;;) {
  const rows = control.connection()?.db.prepare('SELECT word, reason FROM refusals ORDER BY seq').all() ?? [];
  if (hasBlocked && rows.length > 0) {
    process.send?.(rows[0]);
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 20));
}
process.on('disconnect', () => process.exit(0));
