import path from 'node:path';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import QRCode from 'qrcode';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { createEventLog } from '../bridge/event-log.ts';
import { exitCodeOf } from '../bridge/exit-code.ts';
import { openHub } from './open-hub.ts';
import type { OpenHubOptions } from './open-hub.ts';
import type { Hub } from './start-hub.ts';

const HELP = `
  invite          a new link for one device; it lasts two minutes
  devices         who is paired
  remove <number> takes a device out, at once
  stop            ends the hub
`;

/** A hub in a terminal, on a machine without a window. */
export interface RunHubOptions extends Omit<OpenHubOptions, 'log' | 'name'> {
  readonly name?: string;
  readonly print: (text: string) => void;
  readonly input: Readable;
  /** Ends the hub, as `stop` does. */
  readonly signal: AbortSignal;
  /** Without a person at the keyboard nothing is asked, and nobody can be let in. */
  readonly isInteractive: boolean;
}

/** Runs a hub until it is told to stop. Answers the exit code. */
export async function runHub(options: RunHubOptions): Promise<number> {
  const { print, folder, signal } = options;
  const log = createEventLog(path.join(folder, 'hub.log'));
  const opened = await openHub({ ...options, name: options.name ?? 'Fencepost hub', log });
  if (!opened.ok) {
    print(`${opened.error.message}\n${opened.error.wayOut}\n`);
    return exitCodeOf(opened.error.code);
  }
  const hub = opened.value;
  print(`The hub runs on port ${hub.port}: ${hub.addresses().join(', ')}\n`);
  try {
    if (options.isInteractive) await talk(hub, options);
    else await ended(signal);
  } finally {
    await hub.close();
  }
  return 0;
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** One line after another: a command, or the answer about the device that waits. */
async function talk(hub: Hub, { print, input, signal }: RunHubOptions): Promise<void> {
  const asked = new Set<string>();
  const stopAsking = hub.pairing.onChange(() => {
    for (const pending of hub.pairing.pending()) {
      if (asked.has(pending.invitationId)) continue;
      asked.add(pending.invitationId);
      print(`\n${visibleText(pending.name)} asks to be let in. It has to show these words:\n`);
      print(`\n  ${pending.words.join(' ')}\n\nDoes it show the same six words? y or n: `);
    }
  });
  print(HELP);
  await invite(hub, print);
  // Only now: what is typed meanwhile waits in the input, and a reader that nobody asks would lose it.
  const lines = createInterface({ input, signal });
  try {
    for await (const line of lines) {
      const said = line.trim();
      if (said === 'stop') break;
      await obey(hub, said, print);
    }
  } catch (cause) {
    if (!signal.aborted) throw cause;
  } finally {
    stopAsking();
    lines.close();
  }
}

async function obey(hub: Hub, said: string, print: RunHubOptions['print']): Promise<void> {
  const [waiting] = hub.pairing.pending();
  const [command = '', argument = ''] = said.split(/\s+/u);
  if (waiting !== undefined && command === 'y') {
    const approved = await hub.pairing.approve(waiting.invitationId);
    return print(approved.ok ? 'It is let in.\n' : `${approved.error.message} ${approved.error.wayOut}\n`);
  }
  if (waiting !== undefined && command === 'n') {
    hub.pairing.refuse(waiting.invitationId);
    return print('It was refused. Nobody was let in.\n');
  }
  if (command === 'invite') return await invite(hub, print);
  if (command === 'devices') return print((await describeDevices(hub)).join('\n'));
  if (command === 'remove') return await remove(hub, argument, print);
  return print(command === '' ? '' : HELP);
}

async function invite(hub: Hub, print: RunHubOptions['print']): Promise<void> {
  const { link } = hub.pairing.invite();
  print(await QRCode.toString(link, { type: 'terminal', small: true, errorCorrectionLevel: 'L' }));
  print(
    `\nOn the new device: “Devices and sync”, then “Join with a link”. Scan this, or paste the link. Two minutes.\n${link}\n`,
  );
}

async function describeDevices(hub: Hub): Promise<string[]> {
  const listed = await hub.devices.list();
  if (!listed.ok) return [listed.error.message, ''];
  const lines = listed.value.map(({ name, revokedAtMs, lastSeenAtMs }, index) => {
    const seen =
      lastSeenAtMs === null ? 'never here yet' : `last here ${new Date(lastSeenAtMs).toLocaleString('en-CA')}`;
    return `  ${index + 1}  ${visibleText(name)}  ${revokedAtMs === null ? seen : 'removed'}`;
  });
  return lines.length === 0 ? ['Nobody is paired.', ''] : [...lines, ''];
}

async function remove(hub: Hub, argument: string, print: RunHubOptions['print']): Promise<void> {
  const listed = await hub.devices.list();
  const device = listed.ok && /^\d{1,4}$/u.test(argument) ? listed.value[Number(argument) - 1] : undefined;
  if (device === undefined) return print('There is no such number. Nothing was changed. See: devices\n');
  const removed = await hub.devices.revoke(device.deviceId);
  if (!removed.ok) return print(`${removed.error.message} ${removed.error.wayOut}\n`);
  return print(`${visibleText(device.name)} was removed. What it holds runs out by itself.\n`);
}
