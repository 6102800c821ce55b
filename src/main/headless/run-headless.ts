import path from 'node:path';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { Application } from '../bridge/application.ts';
import { createEventLog } from '../bridge/event-log.ts';
import { EXIT_CODES, exitCodeOf } from '../bridge/exit-code.ts';
import { startSafely, stopSafely } from '../bridge/start-safely.ts';
import { askForLink, removeLinkFile, writeLinkFile } from './link-file.ts';
import { openHeadlessServer } from './server.ts';
import type { HeadlessServer } from './server.ts';

/** What the headless host is told by its entry. */
export interface HeadlessOptions {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly profileFolder: string;
  readonly rendererFolder: string;
  readonly start: () => Promise<Result<Application, Problem>>;
}

/** Runs the host with its window in a browser until a signal ends it. Answers the exit code. */
export async function runHeadless(options: HeadlessOptions): Promise<number> {
  const { args, env, profileFolder, rendererFolder } = options;
  if (args.includes('--new-link')) return printNewLink(profileFolder);
  const port = readPort(env['FENCEPOST_PORT']);
  if (port === null) {
    return complain(
      problem(
        'input-invalid',
        'FENCEPOST_PORT is not a port.',
        'Set it to a number from 0 to 65535; 0 lets the system choose.',
      ),
    );
  }
  const log = createEventLog(path.join(profileFolder, 'browser.log'));
  const asked = waitForSignal();
  const started = await startSafely(options.start, log);
  if (!started.ok) return complainAboutStart(started.error);
  const application = started.value;
  const server = await openHeadlessServer({ application, rendererFolder, port, log });
  if (!server.ok) {
    await stopSafely(application, log);
    return complain(server.error);
  }
  leaveLinkFile(profileFolder, server.value);
  process.stdout.write(`Open ${server.value.newLink()}\n`);
  await asked;
  process.stderr.write('fencepost: stopping; what is in flight gets five seconds\n');
  const leftUnclear = await stopSafely(application, log);
  if (leftUnclear.length > 0) process.stderr.write(`fencepost: left unclear: ${leftUnclear.join(', ')}\n`);
  await server.value.close();
  removeLinkFile(profileFolder);
  return 0;
}

async function printNewLink(profileFolder: string): Promise<number> {
  const link = await askForLink(profileFolder);
  if (link === null) {
    return complain(
      problem('not-found', `No host answers for the data in ${profileFolder}.`, 'Start one with: npm start'),
    );
  }
  process.stdout.write(`Open ${link}\n`);
  return 0;
}

/** Without the file everything works but `--new-link`. */
function leaveLinkFile(profileFolder: string, server: HeadlessServer): void {
  try {
    writeLinkFile(profileFolder, server);
  } catch {
    process.stderr.write(
      'fencepost: a second link cannot be had this time, because the data folder cannot be written\n',
    );
  }
}

function readPort(text: string | undefined): number | null {
  if (text === undefined || text === '') return 0;
  const port = /^\d{1,5}$/u.test(text) ? Number(text) : Number.NaN;
  return port <= 65_535 ? port : null;
}

function complain(found: Problem): number {
  process.stderr.write(`fencepost: ${found.message}\n`);
  if (found.wayOut !== '') process.stderr.write(`${found.wayOut}\n`);
  return exitCodeOf(found.code);
}

function complainAboutStart(found: Problem): number {
  const code = complain(found);
  if (found.code === 'profile-in-use')
    process.stderr.write('For a link to the copy that runs: npm start -- --new-link\n');
  return code;
}

/** Waits from the first moment on, so that a signal during a long start is not lost. A second one ends at once. */
function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    const stop = () => {
      count += 1;
      if (count > 1) process.exit(EXIT_CODES.general);
      resolve();
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    // A closed terminal; on Windows a closed console window.
    process.on('SIGHUP', stop);
  });
}
