import { expect } from 'vitest';
import type { ResponseOf, Route } from '../../src/shared/contract/api.ts';
import type { JoiningView } from '../../src/shared/contract/coordinator-views.ts';
import type { Caller } from '../harness/hub-in-terminal.ts';
import { freePort } from '../harness/mail-server.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';

/** How long one step between two devices may take before a test gives up, ms; and how often it is looked for. */
const LIMIT_MS = 20_000;
const LOOK_MS = 20;

/** Asks a device until its answer is the one that is waited for. */
async function poll<R extends Route, Found>(
  ask: () => Promise<{ readonly ok: true; readonly value: ResponseOf<R> } | { readonly ok: false }>,
  find: (value: ResponseOf<R>) => Found | null,
): Promise<Found> {
  const limitMs = performance.now() + LIMIT_MS;
  for (;;) {
    const answer = await ask();
    const found = answer.ok ? find(answer.value) : null;
    if (found !== null) return found;
    if (performance.now() > limitMs) throw new Error(`Not reached: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Starts the hub of a device on a port that is free. */
export async function startHubOf(device: Caller): Promise<void> {
  must(await device.call('hub.start', { port: await freePort() }));
}

/** Pairs a device with the hub of another one, as the people before both windows would, who compare the words. */
export async function pairWith(hub: Caller, guest: Caller): Promise<void> {
  must(await hub.call('devices.invite', {}));
  const shown = must(await hub.call('devices.list', {})).invitation;
  must(await guest.call('devices.join', { link: shown?.link ?? '' }));
  const { invitationId, words } = await poll<'devices.list', { invitationId: string; words: readonly string[] }>(
    () => hub.call('devices.list', {}),
    ({ invitation }) => (invitation?.state === 'asks' ? invitation : null),
  );
  expect((await joining(guest, 'compares')).words).toEqual(words);
  must(await hub.call('devices.answer', { invitationId, isAllowed: true }));
  await joining(guest, 'paired');
}

function joining(guest: Caller, state: JoiningView['state']): Promise<JoiningView> {
  return poll<'devices.list', JoiningView>(
    () => guest.call('devices.list', {}),
    (view) => (view.joining?.state === state ? view.joining : null),
  );
}

/** Moves the right to act of all agents of a device to the hub. */
export async function moveToHub(device: Caller, kind: 'this-hub' | 'hub'): Promise<void> {
  must(await device.call('coordinator.move', { choice: { kind } }));
  const move = await poll<'coordinator.get', { readonly state: string; readonly sentence: string }>(
    () => device.call('coordinator.get', {}),
    (view) => (view.move === null || view.move.state === 'running' ? null : view.move),
  );
  expect(move).toMatchObject({ state: 'done' });
}
