import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { profileFolderOf } from './bridge/profile-folder.ts';
import { startApplication } from './compose.ts';
import { runHeadless } from './headless/run-headless.ts';
import { takeEnvironmentSecrets } from './secrets/environment-secrets.ts';

/** How long the process may stay once everything is closed, ms. */
const EXIT_LIMIT_MS = 500;

const fromEnvironment = takeEnvironmentSecrets(process.env);
const root = path.join(import.meta.dirname, '..', '..');
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));
const profileFolder = profileFolderOf(process.env, process.platform);
const samplesFolder = path.join(root, 'samples');

const code = await runHeadless({
  args: process.argv.slice(2),
  env: process.env,
  profileFolder,
  rendererFolder: path.join(root, 'out', 'renderer'),
  start: () =>
    startApplication({
      profileFolder,
      surface: 'browser',
      version,
      electronVersion: null,
      secretSources: { fromEnvironment },
      ...(existsSync(samplesFolder) ? { samplesFolder } : {}),
    }),
});
process.exitCode = code;
// What is still open then (a tool's child that does not end) must not hold the process. Not at once: what was printed
// may still be on its way.
setTimeout(() => process.exit(), EXIT_LIMIT_MS).unref();
