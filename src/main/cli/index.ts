import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { profileFolderOf } from '../bridge/profile-folder.ts';
import { exportCommand } from './export-command.ts';
import { hubCommand } from './hub-command.ts';
import { verifyCommand } from './verify-command.ts';

const HELP = `fencepost hub [--folder FOLDER] [--host ADDRESS] [--port PORT] [--name NAME] [--address NAME]...
              [--postgres postgresql://user@host:5432/database]

  Runs a hub: the small service that keeps the right to act for your devices. Devices are paired with it by a link and
  six words. Its data is in FOLDER (by default beside the data of the application). With --postgres the right to act and
  the devices are kept in PostgreSQL, and any number of hubs can stand in front of it; the password is read from the
  variable FENCEPOST_POSTGRES_PASSWORD.

fencepost export [--profile FOLDER] [--agent ID] [--run ID] [--from DATE] [--until DATE] [--out FILE [--force]]

  Writes the record of this device as JSON lines, also while the application runs, which it does not change. With --agent,
  --run, --from or --until only the entries about it, or of that time, are written in full. A file is never replaced without
  --force.

fencepost verify FILE [--key DEVICE=PUBLICKEY]... [--json]

  Checks what was exported, on any machine: that nothing was changed, left out or added, and what is signed by whom. Keys that
  are not given with --key are taken from the file itself. Ends with 0 if nothing wrong was found, 1 if something was, 2 if it
  was called wrongly, and 66 if the file cannot be read.
`;

const root = path.join(import.meta.dirname, '..', '..', '..');
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));

process.exitCode = await run(process.argv.slice(2));

async function run([command, ...args]: readonly string[]): Promise<number> {
  if (command === 'hub') {
    const folder = path.join(profileFolderOf(process.env, process.platform), 'hub');
    return hubCommand({ args, version, folder, env: process.env });
  }
  const print = (text: string) => void process.stdout.write(text);
  const printError = (text: string) => void process.stderr.write(text);
  if (command === 'export') {
    const profileFolder = profileFolderOf(process.env, process.platform);
    return exportCommand({ args, profileFolder, nowMs: Date.now(), output: process.stdout, printError });
  }
  if (command === 'verify') return verifyCommand({ args, print, printError });
  const isAsked = command === 'help' || command === '--help';
  (isAsked ? process.stdout : process.stderr).write(HELP);
  return isAsked ? 0 : 2;
}
