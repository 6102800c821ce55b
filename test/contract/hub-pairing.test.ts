import { PassThrough } from 'node:stream';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkHub } from '../../src/main/coordinators/hub/check-hub.ts';
import { openHubCoordinator } from '../../src/main/coordinators/hub/hub-coordinator.ts';
import { pairWithHub, readHubSecrets } from '../../src/main/coordinators/hub/pair-with-hub.ts';
import type { PairedHub } from '../../src/main/coordinators/hub/pair-with-hub.ts';
import { HUB_LIMITS } from '../../src/main/hub/hub-limits.ts';
import { readPairLink, writePairLink } from '../../src/main/hub/pair-link.ts';
import { newHubSecret } from '../../src/main/hub/proofs.ts';
import { runHub } from '../../src/main/hub/run-hub.ts';
import type { SecretStore } from '../../src/main/secrets/secret-store.ts';
import type { Problem } from '../../src/shared/contract/errors.ts';
import { ok } from '../../src/shared/lib/result.ts';
import type { Result } from '../../src/shared/lib/result.ts';
import { AGENT, TTL_MS } from './coordinator-bench.ts';
import { startTestHub } from './hub-benches.ts';
import type { RunningHub } from './hub-benches.ts';
import { must } from './sqlite-benches.ts';

type Secrets = Pick<SecretStore, 'read' | 'write'> & { readonly values: Map<string, string> };

function makeSecrets(values = new Map<string, string>()): Secrets {
  return {
    values,
    read: async (name) => values.get(name) ?? null,
    async write(name, value) {
      values.set(name, value);
      return ok(null);
    },
  };
}

let running: RunningHub;

beforeEach(async () => {
  running = await startTestHub();
});

afterEach(() => running.close());

/** A device that begins to be paired: the words it shows, and how it ends. */
function begin(
  link: string,
  of: {
    readonly deviceId?: string;
    readonly secrets?: Secrets;
    readonly name?: string;
    readonly signal?: AbortSignal;
  } = {},
) {
  const { deviceId = 'laptop', secrets = makeSecrets(), name = "Anna's laptop" } = of;
  const shown: string[][] = [];
  const onWords = (words: readonly string[]) => void shown.push([...words]);
  const signal = of.signal ?? new AbortController().signal;
  const ended = pairWithHub({ link, deviceId, name, secrets, onWords, signal });
  return { ended, shown, secrets };
}

async function pendingOf(): Promise<{ readonly invitationId: string; readonly words: readonly string[] }> {
  await expect.poll(() => running.hub().pairing.pending().length, { timeout: 5_000 }).toBe(1);
  const [pending] = running.hub().pairing.pending();
  if (pending === undefined) throw new Error('Nobody waits.');
  return pending;
}

async function pairFully(secrets: Secrets, deviceId: string): Promise<Result<PairedHub, Problem>> {
  const device = begin(running.hub().pairing.invite().link, { secrets, deviceId });
  const { invitationId } = await pendingOf();
  must(await running.hub().pairing.approve(invitationId));
  return await device.ended;
}

const refused = { ok: false, error: { code: 'pairing-refused' } };

describe('pairing', () => {
  it('shows the same six words on both sides, and lets the device in when a person says so', async () => {
    const device = begin(running.hub().pairing.invite().link);
    const { invitationId, words } = await pendingOf();
    await expect.poll(() => device.shown).toEqual([words]);
    expect(words).toHaveLength(6);
    must(await running.hub().pairing.approve(invitationId));
    const hub = must(await device.ended);
    const secrets = await readHubSecrets(device.secrets);
    if (secrets === null) throw new Error('Nothing was kept.');
    const client = must(await openHubCoordinator({ ...hub, ...secrets, deviceId: 'laptop' }));
    const verb = { verb: 'acquire', deviceId: 'laptop' as never, nonce: 'n', ttlMs: TTL_MS } as const;
    expect(await client.ask(AGENT, verb)).toMatchObject({ ok: true, value: { reply: { kind: 'granted' } } });
    expect(await client.devices()).toMatchObject({ ok: true, value: [{ deviceId: 'laptop', name: "Anna's laptop" }] });
    await client.close();
  });

  it('lets nobody in before a person said so, nor after a refusal', async () => {
    const device = begin(running.hub().pairing.invite().link);
    const { invitationId } = await pendingOf();
    expect(must(await running.devices().list())).toEqual([]);
    running.hub().pairing.refuse(invitationId);
    expect(await device.ended).toMatchObject(refused);
    expect(await running.hub().pairing.approve(invitationId)).toMatchObject({ error: { code: 'already-decided' } });
    expect(must(await running.devices().list())).toEqual([]);
  });

  it('lets in a device whose person said that the words differ, because the hub was not told', async () => {
    const stop = new AbortController();
    const device = begin(running.hub().pairing.invite().link, { signal: stop.signal });
    const { invitationId } = await pendingOf();
    await expect.poll(() => device.shown).toHaveLength(1);
    stop.abort();
    expect(await device.ended).toMatchObject(refused);
    expect(running.hub().pairing.pending()).toEqual([]);
    expect(running.hub().pairing.leftBy(invitationId)).toBe("Anna's laptop");
    expect(await running.hub().pairing.approve(invitationId)).toMatchObject({ error: { code: 'already-decided' } });
    expect(must(await running.devices().list())).toEqual([]);
    // Whoever stops a moment after the yes is paired and keeps what it needs for that, or neither.
    const late = new AbortController();
    const second = begin(running.hub().pairing.invite().link, { signal: late.signal });
    const pending = await pendingOf();
    must(await running.hub().pairing.approve(pending.invitationId));
    late.abort();
    const ended = await second.ended;
    expect((await readHubSecrets(second.secrets)) !== null).toBe(ended.ok);
  });

  it('shows other words to a person than somebody else with the same link does', async () => {
    const { link } = running.hub().pairing.invite();
    const thief = begin(link, { deviceId: 'thief' });
    const { invitationId, words } = await pendingOf();
    const second = begin(link, { deviceId: 'laptop' });
    expect(await second.ended).toMatchObject(refused);
    expect(second.shown, 'the person sees that something is wrong').toEqual([]);
    expect(thief.shown).toEqual([words]);
    running.hub().pairing.refuse(invitationId);
    await thief.ended;
  });

  it('takes a link once, not late, and not with a guessed secret, which ends it after five tries', async () => {
    const used = running.hub().pairing.invite().link;
    const first = begin(used);
    const { invitationId } = await pendingOf();
    must(await running.hub().pairing.approve(invitationId));
    must(await first.ended);
    expect(await begin(used, { deviceId: 'other' }).ended, 'used').toMatchObject(refused);

    const guessed = running.hub().pairing.invite();
    const parts = must(readPairLink(guessed.link));
    for (let tries = 0; tries < 5; tries += 1) {
      const wrong = writePairLink({ ...parts, secret: newHubSecret() });
      expect(await begin(wrong, { deviceId: 'guesser' }).ended).toMatchObject(refused);
    }
    expect(await begin(guessed.link, { deviceId: 'other' }).ended, 'the right one comes too late').toMatchObject(
      refused,
    );

    const late = running.hub().pairing.invite().link;
    running.pass(HUB_LIMITS.invitationMs + 1);
    expect(await begin(late, { deviceId: 'other' }).ended, 'late').toMatchObject(refused);
    expect(must(await running.devices().list()).map(({ deviceId }) => deviceId)).toEqual(['laptop']);
  });

  it('does not speak to a machine with another certificate than that of the link', async () => {
    const { link } = running.hub().pairing.invite();
    const parts = must(readPairLink(link));
    const wrong = writePairLink({
      ...parts,
      fingerprint: parts.fingerprint.replace(/^../u, 'AB').replace(/..$/u, 'CD'),
    });
    const ended = await begin(wrong).ended;
    expect(ended).toMatchObject(refused);
    expect(ended.ok ? '' : ended.error.message).toContain('Another machine');
    expect(running.hub().pairing.pending()).toEqual([]);
  });

  it('refuses a copied data folder, whose key did not come with it, until the first one is removed', async () => {
    must(await pairFully(makeSecrets(), 'laptop'));
    const copy = begin(running.hub().pairing.invite().link, { deviceId: 'laptop' });
    expect(await copy.ended).toMatchObject({ ok: false, error: { code: 'already-paired' } });
    expect(running.hub().pairing.pending()).toEqual([]);
    must(await running.hub().devices.revoke('laptop' as never));
    expect((await pairFully(makeSecrets(), 'laptop')).ok).toBe(true);
  });

  it('gives a device that is paired again a new token, and the old one is worth nothing', async () => {
    const secrets = makeSecrets();
    const hub = must(await pairFully(secrets, 'laptop'));
    const old = await readHubSecrets(secrets);
    must(await pairFully(secrets, 'laptop'));
    if (old === null) throw new Error('Nothing was kept.');
    const opened = await openHubCoordinator({ ...hub, ...old, deviceId: 'laptop' });
    expect(opened).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
  });

  it.each([
    ['nothing', ''],
    ['a beginning', 'fencepost-pair:'],
    ['half a link', 'fencepost-pair:AAAA'],
    ['another address', 'https://evil.example'],
    ['far too much', `fencepost-pair:${'A'.repeat(9_000)}`],
  ])('says of %s that it is no link, and sends nothing', async (_what, link) => {
    expect(await begin(link).ended).toMatchObject({ ok: false, error: { code: 'input-invalid' } });
  });

  it.runIf(process.platform !== 'win32')('keeps its key and its devices where only its owner reads them', () => {
    for (const file of ['hub-certificate.json', 'devices.sqlite', 'hub.sqlite']) {
      expect(statSync(join(running.folder, file)).mode & 0o077, file).toBe(0);
    }
  });
});

describe('the check of a hub', () => {
  async function failing(hub: PairedHub, secrets: Secrets, deviceId = 'laptop'): Promise<string[]> {
    const kept = await readHubSecrets(secrets);
    if (kept === null) throw new Error('Nothing was kept.');
    const checks = await checkHub({ ...hub, ...kept, deviceId });
    expect(checks.map(({ id }) => id)).toEqual([
      'reachable',
      'certificate',
      'paired',
      'allowed',
      'clock',
      'round-trip',
    ]);
    return checks.filter(({ isOk }) => isOk === false).map(({ id }) => id);
  }

  it('names the one thing that is wrong', async () => {
    const secrets = makeSecrets();
    const hub = must(await pairFully(secrets, 'laptop'));
    expect(await failing(hub, secrets)).toEqual([]);
    expect(await failing({ ...hub, port: 1 }, secrets)).toEqual(['reachable']);
    const other = await startTestHub();
    expect(await failing({ ...hub, certificatePem: other.certificate.certificatePem }, secrets)).toEqual([
      'certificate',
    ]);
    await other.close();
    expect(await failing(hub, makeSecrets(new Map(secrets.values).set('hub-token', newHubSecret())))).toEqual([
      'paired',
    ]);
    must(await running.hub().devices.revoke('laptop' as never));
    expect(await failing(hub, secrets)).toEqual(['allowed']);
  });
});

describe('a hub in a terminal', () => {
  it('lets a device in after a person typed y under the words, and ends when told to', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fencepost-hub-terminal-'));
    const input = new PassThrough();
    let printed = '';
    const print = (text: string) => void (printed += text);
    const { signal } = new AbortController();
    const options = { folder, host: '127.0.0.1', port: 0, version: '0.0.0-test', print, input, signal };
    const ended = runHub({ ...options, isInteractive: true });
    await expect.poll(() => /fencepost-pair:\S+/u.exec(printed)?.[0], { timeout: 5_000 }).toBeDefined();
    const device = begin(/fencepost-pair:\S+/u.exec(printed)?.[0] ?? '');
    await expect.poll(() => device.shown.length, { timeout: 5_000 }).toBe(1);
    expect(printed).toContain(device.shown[0]?.join(' '));
    input.write('y\n');
    must(await device.ended);
    input.write('devices\n');
    await expect.poll(() => printed).toMatch(/1 {2}Anna's laptop/u);
    input.write('remove 1\n');
    await expect.poll(() => printed).toContain('was removed');
    input.write('stop\n');
    expect(await ended).toBe(0);
    rmSync(folder, { recursive: true, force: true });
  });
});
