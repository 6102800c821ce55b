import { join } from 'node:path';
import { createEventLog } from './bridge/event-log.ts';
import { createWebhookDoor } from './headless/webhook-server.ts';
import type { LoopbackWebhookDoor } from './headless/webhook-server.ts';
import type { Host } from './host/host.ts';
import type { HostPorts } from './host/ports.ts';
import { Triggers } from './host/triggers/triggers.ts';
import type { SecretStore } from './secrets/secret-store.ts';
import { readProfile } from './store/profile-values.ts';

/** The setting that names the port for webhooks; without it the system chooses one at each start. */
const WEBHOOK_PORT_SETTING = 'webhook-port';

/** Puts the triggers together, with their door for calls. They start nothing before `start`. */
export function composeTriggers(of: {
  readonly ports: HostPorts;
  readonly host: Host;
  readonly secrets: SecretStore;
  readonly profileFolder: string;
  readonly protectedFolders: readonly string[];
}): { readonly triggers: Triggers; readonly door: LoopbackWebhookDoor } {
  const { ports, host, secrets, profileFolder, protectedFolders } = of;
  const log = createEventLog(join(profileFolder, 'webhooks.log'));
  const door = createWebhookDoor({ port: () => portOf(ports), secrets, log });
  const triggers = new Triggers({
    ports,
    door,
    protectedFolders,
    wake: () => host.wake(),
    isDraining: () => host.state.isDraining,
  });
  return { triggers, door };
}

function portOf(ports: HostPorts): number {
  const db = ports.store.connection()?.db;
  const setting = db === undefined ? null : readProfile(db, `setting:${WEBHOOK_PORT_SETTING}`);
  const port = /^\d{1,5}$/u.test(setting ?? '') ? Number(setting) : 0;
  return port <= 65_535 ? port : 0;
}
