import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { unreachable } from './folder-failures.ts';
import { baseOf } from './folder-view.ts';
import type { FolderView } from './folder-view.ts';

/** The most oddities that are told at once. */
const FINDING_LIMIT = 100;

/** What is odd in the folder. None of it stops the others. */
export function findingsOf(view: FolderView, unusable: readonly string[]): Problem[] {
  const forks = [...view.devices.values()].flatMap(({ deviceId, journal }) => {
    const fork = journal.forks.find((seq) => seq > baseOf(view, deviceId));
    if (fork === undefined) return [];
    const sentence = `The shared folder holds two different entries at place ${fork} of one device's journal.`;
    const wayOut = 'Nothing after that place is taken over. Remove one of the two copies of that device.';
    return [problem('relay-fork', sentence, wayOut, { deviceId, seq: fork })];
  });
  const gaps = [...view.devices.values()].flatMap(({ deviceId, journal }) => {
    const reached = journal.reach(baseOf(view, deviceId));
    const last = Math.max(0, ...journal.segments.map((segment) => segment.last));
    if (last <= reached || journal.forks.includes(reached + 1)) return [];
    const sentence = `Entry ${reached + 1} of one device's journal has not arrived in the shared folder.`;
    return [problem('relay-gap', sentence, 'The device sends it again by itself.', { deviceId, seq: reached + 1 })];
  });
  const files = unusable.map((file) =>
    unreachable(file, `The file ${file} in the shared folder is not whole, or not from the device it is filed under.`),
  );
  return [...forks, ...gaps, ...files].slice(0, FINDING_LIMIT);
}
