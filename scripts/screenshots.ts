// Writes every screen in both themes into docs/screenshots, from the same end-to-end run that tests them.
import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const env = { ...process.env, FENCEPOST_SCREENSHOTS: path.join(root, 'docs', 'screenshots') };
const { status } = spawnSync(
  process.execPath,
  [path.join(root, 'scripts', 'test.mjs'), 'e2e', 'screens', 'palette.spec', 'schedules.spec'],
  {
    cwd: root,
    env,
    stdio: 'inherit',
  },
);
process.exit(status ?? 1);
