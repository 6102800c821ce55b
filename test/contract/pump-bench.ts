import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createHostClock } from '../../src/main/host/clock.ts';
import { JournalPump } from '../../src/main/host/sync/journal-pump.ts';
import type { QuarantineReason } from '../../src/main/host/sync/take-in.ts';
import { createHostTimers } from '../../src/main/host/timers.ts';
import { newDeviceKey, publicKeyOf } from '../../src/main/hub/proofs.ts';
import { newKeyRing } from '../../src/main/relays/seal/key-ring.ts';
import type { KeyRing } from '../../src/main/relays/seal/key-ring.ts';
import { openOperation, sealOperation } from '../../src/main/relays/seal/seal-operation.ts';
import type { OperationContents } from '../../src/main/relays/seal/seal-operation.ts';
import { signHead } from '../../src/main/relays/seal/sign-journal.ts';
import { newSpaceSecret } from '../../src/main/relays/seal/space-secret.ts';
import { readAll } from '../../src/main/store/connection.ts';
import type { Connection } from '../../src/main/store/connection.ts';
import { foldHash } from '../../src/main/store/fold-hash.ts';
import { Store } from '../../src/main/store/store.ts';
import { connectionOf } from '../../src/main/store/testing/store-bench.ts';
import { must } from '../../src/main/store/testing/temporary-folder.ts';
import type { AgentId, DeviceId, Digest } from '../../src/shared/contract/identifiers.ts';
import { operationText, payloadText } from '../../src/shared/core/sync/operation.ts';
import type { Operation } from '../../src/shared/core/sync/operation.ts';
import type { SealedOperation } from '../../src/shared/core/sync/sealed.ts';
import type { Json } from '../../src/shared/lib/canonical-json.ts';
import { ok } from '../../src/shared/lib/result.ts';
import type { HostileStorage } from './hostile-relay.ts';

/** The keys of the tests' space. */
export const RING: KeyRing = newKeyRing(newSpaceSecret());

/** One device: a real record, real keys and the real pump, which runs only when a test says so. */
export class PumpDevice {
  readonly store: Store;
  readonly privateKey: string;
  readonly pump: JournalPump;
  readonly deviceId: DeviceId;
  ring = RING;
  /** With which key this device seals what it hands over. */
  keyEpoch = 1;
  /** How far its calendar is off, ms. */
  wallShiftMs = 0;
  readonly lines: { event: string; code?: string }[] = [];

  constructor(folder: string, name: string, of: { storage: HostileStorage; privateKey?: string; nextId?: string }) {
    mkdirSync(join(folder, name), { recursive: true });
    const timers = createHostTimers();
    let ids = 0;
    const newId = (): string => (ids++ === 0 ? (of.nextId ?? name.replace(/ .*/u, '')) : randomUUID());
    this.store = must(Store.open(join(folder, name), { clock: createHostClock(), timers, newId }));
    this.deviceId = this.store.identity().deviceId;
    this.privateKey = of.privateKey ?? newDeviceKey().privateKey;
    const { privateKey } = this;
    this.pump = new JournalPump({
      store: this.store,
      relay: of.storage.relayFor(this.deviceId),
      ring: () => this.ring,
      keyEpochOf: () => this.keyEpoch,
      acceptKeys: async (payload) => this.acceptKeys(payload),
      pushed: async () => undefined,
      condensing: null,
      signer: { publicKey: publicKeyOf(privateKey), sign: (head) => signHead(privateKey, head) },
      // A pass only when a test says so.
      timers: { ...timers, after: () => () => undefined },
      wallMs: () => Date.now() + this.wallShiftMs,
      log: (line) => this.lines.push(line),
    });
  }

  acceptKeys(_payload: string) {
    return ok(null);
  }

  get connection(): Connection {
    return connectionOf(this.store);
  }

  rows<Row>(sql: string, ...parameters: readonly unknown[]): Row[] {
    return readAll<Row>(this.connection.db, sql, ...parameters);
  }

  /** Writes one entry for each name. */
  async write(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const saved = { agentId: name as AgentId, revisionDigest: name as Digest, name, description: '', source: '' };
      must(await this.store.write(({ journal }) => journal.append('agent.saved', saved)));
    }
  }

  /** Writes an entry of any kind, also of one that this version does not know. */
  async writeAny(kind: string, payload: object): Promise<void> {
    must(await this.store.write(({ journal }) => journal.append(kind as 'agent.saved', payload as never)));
  }

  /** A whole pass, which has to go through. */
  async pass(): Promise<void> {
    must(await this.pump.passNow());
  }

  /** What a person does after looking at a journal that is put aside. */
  async tryAgain(): Promise<void> {
    must(await this.store.write(({ db }) => db.exec('DELETE FROM quarantines')));
    await this.pass();
  }

  /** Why journals are put aside, by device. */
  aside(): Record<string, QuarantineReason> {
    const rows = this.rows<{ device_id: string; facts: string }>('SELECT device_id, facts FROM quarantines');
    return Object.fromEntries(rows.map((row) => [row.device_id, JSON.parse(row.facts) as QuarantineReason]));
  }

  /** How many entries of a device are in this record. */
  known(deviceId: string): number {
    return this.rows('SELECT 1 FROM ops WHERE device_id = ?', deviceId).length;
  }

  hash(): string {
    return foldHash(this.connection.db);
  }

  async close(): Promise<void> {
    await this.pump.close();
    this.store.close();
  }
}

/** The same place with other contents, by somebody who has the keys of the space. */
export function resealed(sealed: SealedOperation, change: Partial<OperationContents>): SealedOperation {
  const opened = openOperation(RING, sealed);
  if (!opened.ok) throw new Error(opened.error.kind);
  const contents = { ...opened.value, ...change };
  const { seq, deviceId, wallMs, counter } = sealed;
  const { opId, epoch, kind, payload, texts, signature } = contents;
  const operation = { opId, deviceId, seq, prevHash: '', time: { wallMs, counter }, epoch, kind, payload };
  const again = sealOperation(RING, { operation, texts, signature });
  if (!again.ok) throw new Error(again.error.kind);
  return again.value;
}

/** Entries that were made by hand, each with its right hash; signed now and then where there is a key. */
export function forged(
  deviceId: DeviceId,
  entries: readonly { readonly kind: string; readonly payload: Json }[],
  of: { readonly privateKey: string | null; readonly after?: { readonly seq: number; readonly opId: string } },
): SealedOperation[] {
  let { seq, opId: prevHash } = of.after ?? { seq: 0, opId: '' };
  return entries.map(({ kind, payload }, index) => {
    seq += 1;
    const time = { wallMs: Date.now(), counter: seq };
    const unnamed = { deviceId, seq, prevHash, time, epoch: 0, kind, payload: payloadText(payload) };
    const opId = createHash('sha256').update(operationText(unnamed)).digest('hex');
    const operation: Operation = { ...unnamed, opId };
    prevHash = opId;
    const isSigned = index === entries.length - 1 || index % 50 === 49;
    const signature =
      of.privateKey !== null && isSigned
        ? { publicKey: publicKeyOf(of.privateKey), signature: signHead(of.privateKey, { deviceId, seq, opId }) }
        : null;
    const sealed = sealOperation(RING, { operation, texts: [], signature });
    if (!sealed.ok) throw new Error(sealed.error.kind);
    return sealed.value;
  });
}
