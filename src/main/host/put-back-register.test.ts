import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { SecretCipher } from '../secrets/secret-cipher.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { HostBench } from './testing/host-bench.ts';

const newFolder = useTemporaryFolders();
const VALUE = 'correct-horse-battery-staple';

/** A keychain that asks a person each time: from `hold` on, nothing is opened before `answer`. */
class SlowKeychain implements SecretCipher {
  readonly backend = 'a test';
  #answering: Promise<void> = Promise.resolve();
  answer: () => void = () => undefined;
  isAsked = false;

  hold(): void {
    this.#answering = new Promise((resolve) => {
      this.answer = resolve;
    });
  }

  async encrypt(value: string): Promise<Buffer> {
    return await Promise.resolve(Buffer.from(Buffer.from(value).map((byte) => byte ^ 0x5a)));
  }

  async decrypt(sealed: Buffer): Promise<{ value: string; isStale: boolean }> {
    this.isAsked = true;
    await this.#answering;
    return { value: Buffer.from(sealed.map((byte) => byte ^ 0x5a)).toString(), isStale: false };
  }
}

/** All files of a register, as somebody would copy them. Its name and incarnation are in them. */
function copyRegister(from: string, to: string): void {
  for (const part of ['', '-wal', '-shm']) {
    rmSync(`${to}${part}`, { force: true });
    if (existsSync(`${from}${part}`)) copyFileSync(`${from}${part}`, `${to}${part}.new`);
    if (existsSync(`${to}${part}.new`)) renameSync(`${to}${part}.new`, `${to}${part}`);
  }
}

/** What the step does, with a secret that has to be fetched after the last look and before anything leaves. */
const CALLS: Readonly<Record<string, (origin: string, folder: string) => string>> = {
  'a request': (origin) =>
    `{ tool: http.request, method: POST, url: '${origin}/announced', secretHeaders: { Authorization: { secret: api-key } } }`,
  'a program': (_, folder) =>
    `{ tool: shell, argv: [node, -e, 'require("fs").writeFileSync("announced", "")'], cwd: '${folder}', secretEnv: { TOKEN: api-key } }`,
};

describe('a register that is put back under its name, while an effect that it had announced is on its way', () => {
  let receiver: Receiver;
  let keychain: SlowKeychain;
  let bench: HostBench;
  let registerFile: string;
  beforeEach(async () => {
    receiver = await Receiver.start();
    keychain = new SlowKeychain();
    registerFile = join(newFolder(), 'register.sqlite');
    bench = await HostBench.start(newFolder(), registerFile, { keychain });
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  it.each(Object.entries(CALLS))('lets %s leave after the lease was lost and before the alarm', async (_, call) => {
    const folder = newFolder();
    must(await bench.host.control.secrets.write('api-key', VALUE));
    const agentId = await bench.agent(`fencepost: 1
id: sender
name: Sender
scope: { hosts: ['${new URL(receiver.origin).host}'], folders: ['${folder}'], programs: [node] }
leaseTtlMs: 3000
start: send
states:
  send: { type: tool, call: ${call(receiver.origin, folder)}, effect: { kind: blind }, onSuccess: end }
  end: { type: done }
`);
    const backup = join(newFolder(), 'backup');
    copyRegister(registerFile, backup);
    keychain.hold();
    await bench.run(agentId);
    await bench.until('the step has passed its last look', () => keychain.isAsked);
    copyRegister(backup, registerFile);
    await bench.until('the lease is lost', () => bench.count('lease.lost') === 1);
    keychain.answer();
    const isOver = () => bench.count('effect.withheld') + bench.count('settle.recorded') > 0;
    await bench.until('the attempt is over', isOver);
    await bench.until('the alarm is raised', () => bench.count('lease.went-back') === 1);
    expect(receiver.received).toHaveLength(0);
    expect(readdirSync(folder)).toEqual([]);
    expect(bench.count('effect.withheld')).toBe(1);
  });
});
