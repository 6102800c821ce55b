import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { profileFolderOf } from '../bridge/profile-folder.ts';
import { hubCommand } from './hub-command.ts';

const HELP = `fencepost hub [--folder FOLDER] [--host ADDRESS] [--port PORT] [--name NAME] [--address NAME]...
              [--postgres postgresql://user@host:5432/database]

  Runs a hub: the small service that keeps the right to act for your devices. Devices are paired with it by a link and
  six words. Its data is in FOLDER (by default beside the data of the application). With --postgres the right to act and
  the devices are kept in PostgreSQL, and any number of hubs can stand in front of it; the password is read from the
  variable FENCEPOST_POSTGRES_PASSWORD.
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
  const isAsked = command === 'help' || command === '--help';
  (isAsked ? process.stdout : process.stderr).write(HELP);
  return isAsked ? 0 : 2;
}
