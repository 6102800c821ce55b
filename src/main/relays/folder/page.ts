import type { Problem } from '../../../shared/contract/errors.ts';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { knownUpTo } from '../../../shared/core/sync/sealed.ts';
import type { Frontier, SealedOperation } from '../../../shared/core/sync/sealed.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { RELAY_BATCH_CHARACTERS, RELAY_BATCH_OPERATIONS } from '../relay.ts';
import type { PulledOperations } from '../relay.ts';
import { truncatedProblem } from './folder-failures.ts';
import { baseOf } from './folder-view.ts';
import type { DeviceView, FolderView } from './folder-view.ts';

/** What of one device is asked for and can be given. */
interface Wanted {
  readonly device: DeviceView;
  readonly from: number;
  readonly to: number;
}

/** One page under way. */
interface Page {
  readonly operations: SealedOperation[];
  characters: number;
}

/** The next page after `have`. A file that is gone or was changed since the look ends its device's part of the page. */
export async function readPage(view: FolderView, have: Frontier): Promise<Result<PulledOperations, Problem>> {
  const wanted: Wanted[] = [];
  for (const device of view.devices.values()) {
    const from = knownUpTo(have, device.deviceId);
    const to = device.journal.reach(from);
    if (to > from) wanted.push({ device, from, to });
    else if (isBelowCheckpoint(view, device.deviceId, from)) return err(truncatedProblem());
  }
  for (const name of Object.keys(view.checkpoint?.record.frontier ?? {})) {
    const deviceId = name as DeviceId;
    const isUnknown = !view.devices.has(deviceId);
    if (isUnknown && isBelowCheckpoint(view, deviceId, knownUpTo(have, name))) return err(truncatedProblem());
  }
  const page: Page = { operations: [], characters: 0 };
  for (const each of wanted) {
    const outcome = await addTo(page, each);
    if (outcome === 'full') return ok({ operations: page.operations, isMore: true });
  }
  return ok({ operations: page.operations, isMore: false });
}

function isBelowCheckpoint(view: FolderView, deviceId: DeviceId, from: number): boolean {
  return from < baseOf(view, deviceId);
}

async function addTo(page: Page, { device, from, to }: Wanted): Promise<'full' | 'done'> {
  let next = from + 1;
  while (next <= to) {
    if (isFull(page)) return 'full';
    const segment = device.journal.at(next);
    const record = segment === undefined ? null : await device.files.readSegment(segment);
    // It will be there again at one of the next looks, or its device pushes it again.
    if (segment === undefined || record === null) return 'done';
    const last = Math.min(to, segment.last);
    for (const operation of record.operations.slice(next - segment.first, last - segment.first + 1)) {
      if (!add(page, operation)) return 'full';
      next += 1;
    }
  }
  return 'done';
}

function isFull(page: Page): boolean {
  return page.operations.length >= RELAY_BATCH_OPERATIONS || page.characters >= RELAY_BATCH_CHARACTERS;
}

/** Whether it still went into the page. One operation always does. */
function add(page: Page, operation: SealedOperation): boolean {
  const characters = page.characters + operation.box.length;
  const fits = page.operations.length < RELAY_BATCH_OPERATIONS && characters <= RELAY_BATCH_CHARACTERS;
  if (!fits && page.operations.length > 0) return false;
  page.operations.push(operation);
  page.characters = characters;
  return true;
}
