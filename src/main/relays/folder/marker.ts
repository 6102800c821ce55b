import path from 'node:path';
import { z } from 'zod';
import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { systemCodeOf, unreachable } from './folder-failures.ts';
import type { RelayFiles } from './relay-files.ts';

/** Says whose the folder is. It is made once, so that an unplugged drive is not taken for an empty folder. */
const MARKER_NAME = 'fencepost-relay.json';
const MARKER_LIMIT_BYTES = 4_096;

const markerSchema = z.object({
  format: z.literal('fencepost-relay-folder'),
  version: z.int().min(1),
  spaceId: z.string().min(1).max(160),
});

/** Which folder, and whose devices meet there. */
interface FolderPlace {
  readonly folder: string;
  readonly spaceId: string;
}

/** The folder in which each device has one of its own. */
export function devicesFolder(folder: string): string {
  return path.join(folder, 'devices');
}

/** Why the folder cannot be used for this space; `null` if it can. Rejects with an error of the system otherwise. */
export async function markerProblem(files: RelayFiles, { folder, spaceId }: FolderPlace): Promise<Problem | null> {
  const file = path.join(folder, MARKER_NAME);
  let text: string | null;
  try {
    text = await files.readText(file, MARKER_LIMIT_BYTES);
  } catch (cause) {
    const code = systemCodeOf(cause);
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw cause;
    return unreachable(folder, `The folder ${folder} is not there, or not the one it was: ${MARKER_NAME} is missing.`);
  }
  const marker = markerSchema.safeParse(text === null ? null : readJson(text));
  if (!marker.success) return damaged(folder);
  if (marker.data.version !== 1) {
    return problem(
      'relay-unreachable',
      `The folder ${folder} was set up by a newer Fencepost.`,
      'Update Fencepost on this device.',
      { folder },
    );
  }
  if (marker.data.spaceId === spaceId) return null;
  return problem(
    'relay-foreign',
    `The folder ${folder} belongs to other devices that are not paired with this one.`,
    'Choose another folder, or pair the devices first.',
    { folder },
  );
}

/** Sets a folder up. One that is set up already stays as it is; two devices that do it at once write the same. */
export async function setUpFolder(files: RelayFiles, { folder, spaceId }: FolderPlace): Promise<void> {
  await files.makeFolder(folder, { isDeep: true });
  if (!(await files.isThere(path.join(folder, MARKER_NAME)))) {
    const marker = { format: 'fencepost-relay-folder', version: 1, spaceId };
    const content = Buffer.from(`${JSON.stringify(marker)}\n`, 'utf8');
    await files.place({ folder, name: MARKER_NAME, content });
  }
  await files.makeFolder(devicesFolder(folder), { isDeep: true });
}

function damaged(folder: string): Problem {
  return unreachable(folder, `The file ${MARKER_NAME} in ${folder} has not arrived whole yet, or is damaged.`);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
