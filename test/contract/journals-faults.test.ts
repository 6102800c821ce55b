import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newDeviceKey, publicKeyOf } from '../../src/main/hub/proofs.ts';
import { newKeyRing } from '../../src/main/relays/seal/key-ring.ts';
import { openOperation, sealOperation } from '../../src/main/relays/seal/seal-operation.ts';
import { signHead } from '../../src/main/relays/seal/sign-journal.ts';
import { newSpaceSecret } from '../../src/main/relays/seal/space-secret.ts';
import { markForNewIdentity } from '../../src/main/store/identity.ts';
import { must, useTemporaryFolders } from '../../src/main/store/testing/temporary-folder.ts';
import { quarantineWords } from '../../src/main/views/sync-words.ts';
import type { SealedOperation } from '../../src/shared/core/sync/sealed.ts';
import { HostileStorage } from './hostile-relay.ts';
import type { Tampering } from './hostile-relay.ts';
import { forged, PumpDevice, resealed, RING } from './pump-bench.ts';

const newFolder = useTemporaryFolders();
let storage: HostileStorage;
let folder: string;
const devices: PumpDevice[] = [];

beforeEach(() => {
  storage = new HostileStorage();
  folder = newFolder();
});
afterEach(async () => {
  for (const device of devices.splice(0)) await device.close();
});

function start(name: string): PumpDevice {
  const device = new PumpDevice(folder, name, { storage });
  devices.push(device);
  return device;
}

/** Anna with six entries, of which ben knows the first two; cleo has one, which ben does not know. */
async function three(): Promise<[PumpDevice, PumpDevice, PumpDevice]> {
  const [anna, ben, cleo] = [start('anna'), start('ben'), start('cleo')];
  await anna.write('one', 'two');
  await anna.pass();
  await ben.pass();
  await anna.write('three', 'four');
  await anna.pass();
  await anna.write('five', 'six');
  await anna.pass();
  await cleo.write('seven');
  await cleo.pass();
  return [anna, ben, cleo];
}

const at = (seq: number, change: (operation: SealedOperation) => SealedOperation): Tampering => {
  return (operations) => operations.map((operation) => (operation.seq === seq ? change(operation) : operation));
};

/** The name in another space, the key of a stranger: what a relay or a copy could bring. */
const stranger = newDeviceKey().privateKey;

function signedByStranger(operation: SealedOperation): SealedOperation {
  const opened = openOperation(RING, operation);
  if (!opened.ok) throw new Error(opened.error.kind);
  const head = { deviceId: operation.deviceId, seq: operation.seq, opId: opened.value.opId };
  const signature = { publicKey: publicKeyOf(stranger), signature: signHead(stranger, head) };
  return resealed(operation, { signature });
}

function ofAnotherSpace(operation: SealedOperation): SealedOperation {
  const opened = openOperation(RING, operation);
  if (!opened.ok) throw new Error(opened.error.kind);
  const { deviceId, seq, wallMs, counter } = operation;
  const { opId, epoch, kind, payload, texts, signature } = opened.value;
  const whole = { opId, deviceId, seq, prevHash: '', time: { wallMs, counter }, epoch, kind, payload };
  const sealed = sealOperation(newKeyRing(newSpaceSecret()), { operation: whole, texts, signature });
  if (!sealed.ok) throw new Error(sealed.error.kind);
  return sealed.value;
}

/** What is done to anna's entries, what ben has to say to it, and how many of them he knows then. */
const FAULTS: readonly (readonly [string, Tampering, object, number])[] = [
  [
    'an entry is missing, and what comes after it is taken for the next',
    (operations) => operations.filter(({ seq }) => seq !== 3),
    { kind: 'chain', problem: { kind: 'gap', seq: 3, found: 4 } },
    2,
  ],
  [
    'a changed entry is folded, or what stands before it is lost',
    at(5, (operation) => resealed(operation, { payload: '{"agentId":"other"}' })),
    { kind: 'chain', problem: { kind: 'wrong-hash', seq: 5 } },
    4,
  ],
  [
    'what follows from another story is folded behind the first one',
    at(3, (operation) => resealed(operation, { opId: 'a'.repeat(64) })),
    { kind: 'chain', problem: { kind: 'broken-link', seq: 3 } },
    2,
  ],
  ['another key signs for a device that is known', at(6, signedByStranger), { kind: 'foreign-signature', seq: 6 }, 2],
  [
    'a signature of another place is taken',
    (operations) =>
      at(6, (operation) => {
        const other = openOperation(RING, operations[3] ?? operation);
        return other.ok ? resealed(operation, { signature: other.value.signature }) : operation;
      })(operations),
    { kind: 'foreign-signature', seq: 6 },
    2,
  ],
  [
    'a text that belongs to no entry is kept',
    at(4, (operation) => resealed(operation, { texts: ['smuggled in'] })),
    { kind: 'cannot-open', seq: 4, problem: { kind: 'malformed' } },
    2,
  ],
  [
    'an entry of another space is folded',
    at(3, ofAnotherSpace),
    { kind: 'cannot-open', seq: 3, problem: { kind: 'wrong-key-or-changed' } },
    2,
  ],
  [
    'a box that was changed on the way is opened',
    at(4, (operation) => ({ ...operation, box: operation.box.replace(/.$/u, (last) => (last === 'A' ? 'E' : 'A')) })),
    { kind: 'cannot-open' },
    2,
  ],
  [
    'an entry is moved to another place or time',
    at(4, (operation) => ({ ...operation, wallMs: operation.wallMs + 1 })),
    { kind: 'cannot-open' },
    2,
  ],
  [
    'an entry of another device is passed off as one of hers',
    (operations) => [
      ...operations.slice(0, 2),
      ...(storage.journals.get('cleo' as never) ?? []).map((operation) => ({
        ...operation,
        deviceId: 'anna' as never,
        seq: 3,
      })),
    ],
    { kind: 'cannot-open', seq: 3 },
    2,
  ],
];

describe('what a relay makes of a journal', () => {
  it.each(FAULTS)('%s', async (_hazard, tampering, reason, known) => {
    const [anna, ben, cleo] = await three();
    storage.tampering.set('anna', tampering);
    await ben.pass();
    expect(ben.aside()).toMatchObject({ anna: reason });
    expect(ben.known('anna')).toBe(known);
    expect(ben.rows(`SELECT 1 FROM blobs WHERE body = 'smuggled in'`)).toEqual([]);
    // The others go on, and nobody is told that ben has what he has not.
    expect(ben.known('cleo')).toBe(1);
    expect(storage.acknowledged.get(ben.deviceId)).toMatchObject({ anna: known, cleo: 1 });
    expect(ben.lines).toContainEqual(expect.objectContaining({ event: 'journal-put-aside' }));
    const found = ben.aside()['anna'];
    const words = found === undefined ? null : quarantineWords(found, 'Anna’s computer');
    expect(words?.sentence).toContain('Anna’s computer');
    expect(words?.wayOut).toMatch(/\.$/u);
    // It stays put aside without being asked for again, until a person has looked.
    storage.tampering.delete('anna');
    await ben.pass();
    expect(ben.known('anna')).toBe(known);
    await ben.tryAgain();
    for (const device of [anna, cleo]) await device.pass();
    expect(ben.aside()).toEqual({});
    expect(new Set([anna.hash(), ben.hash(), cleo.hash()]).size).toBe(1);
    expect(ben.known('anna')).toBe(6);
  });

  it('a fault that is still there after a second look is forgotten', async () => {
    const [, ben] = await three();
    storage.tampering.set('anna', at(6, signedByStranger));
    await ben.pass();
    await ben.tryAgain();
    expect(ben.aside()).toMatchObject({ anna: { kind: 'foreign-signature', seq: 6 } });
  });

  // lmvdz/atrium#183
  it('unsigned entries are slipped in before a signed one that does not follow from them', async () => {
    const [, ben] = await three();
    storage.tampering.set('anna', (operations) => {
      const saved = { agentId: 'evil', revisionDigest: 'evil', name: 'evil', description: '', source: '' };
      const opened = openOperation(RING, operations[1] as SealedOperation);
      const opId = opened.ok ? opened.value.opId : '';
      const slipped = forged('anna' as never, [{ kind: 'agent.saved', payload: saved }], {
        privateKey: null,
        after: { seq: 2, opId },
      });
      return [...operations.slice(0, 2), ...slipped, ...operations.slice(3)];
    });
    await ben.pass();
    expect(ben.rows(`SELECT 1 FROM agents WHERE agent_id = 'evil'`)).toEqual([]);
    expect(ben.known('anna')).toBe(2);
    expect(ben.aside()).toMatchObject({ anna: { kind: 'chain' } });
  });
});

describe('a device that is not what it was', () => {
  it('a clock a day ahead moves everybody’s clocks', async () => {
    const [anna, ben] = await three();
    const before = ben.connection.journal.head.time;
    ben.wallShiftMs = -25 * 3_600_000;
    await ben.pass();
    expect(ben.aside()).toMatchObject({ anna: { kind: 'clock-ahead', seq: 3 } });
    expect(ben.connection.journal.head.time).toEqual(before);
    ben.wallShiftMs = 0;
    await ben.tryAgain();
    expect(ben.known('anna')).toBe(6);
    expect(ben.connection.journal.head.time.wallMs).toBeGreaterThanOrEqual(anna.connection.journal.head.time.wallMs);
  });

  it('what a device wrote after it was let go counts', async () => {
    const [, ben, cleo] = await three();
    ben.connection.db.exec(`INSERT INTO sync_devices VALUES ('anna', 'Anna', '1', 'k', 'w', 0, 1, NULL, 0)`);
    await ben.pass();
    expect(ben.aside()).toMatchObject({ anna: { kind: 'let-go', seq: 3 } });
    expect(ben.known('anna')).toBe(2);
    expect(ben.known('cleo')).toBe(1);
    expect(cleo.aside()).toEqual({});
  });
});

describe('two records of one device', () => {
  it('a copy and its original hand over two stories under one name', async () => {
    const anna = start('anna');
    const ben = start('ben');
    await anna.write('one');
    await anna.pass();
    const copy = new PumpDevice(folder, 'anna copy', { storage, privateKey: anna.privateKey });
    devices.push(copy);
    await copy.write('another one');
    const refused = await copy.pump.passNow();
    expect(refused).toMatchObject({ ok: false, error: { code: 'relay-fork' } });
    expect(copy.pump.status().problem?.wayOut).not.toBe('');
    await copy.write('and more', 'and more');
    expect(await copy.pump.passNow()).toMatchObject({ ok: false });
    await ben.write('of ben');
    await ben.pass();
    expect(ben.known('anna')).toBe(1);
    // It takes nothing in either: it would fold on from a story that the others do not know.
    expect(copy.known('ben')).toBe(0);
    expect(ben.aside()).toEqual({});
  });

  it('a second story is not seen any more once its device has a new identity', async () => {
    const anna = start('anna');
    await anna.write('one');
    await anna.pass();
    const copy = new PumpDevice(folder, 'anna copy', { storage, privateKey: anna.privateKey });
    await copy.write('another one', 'and one more');
    expect(await copy.pump.passNow()).toMatchObject({ ok: false });
    must(await copy.store.write(({ db }) => markForNewIdentity(db, { reason: 'asked', by: 'Ada' })));
    await copy.close();
    const renewed = new PumpDevice(folder, 'anna copy', { storage, nextId: 'anna-again' });
    devices.push(renewed);
    expect(renewed.store.identity()).toMatchObject({ deviceId: 'anna-again', renewed: { before: 'anna' } });
    await renewed.pass();
    expect(renewed.aside()).toMatchObject({ anna: { kind: 'chain', problem: { kind: 'broken-link', seq: 1 } } });
    await renewed.write('something new');
    await renewed.pass();
    expect(storage.heads()).toEqual({ anna: 1, 'anna-again': 1 });
  });
});

describe('a record that was put back by hand', () => {
  it('an older copy of a record goes on where it ended', async () => {
    const anna = start('anna');
    await anna.write('one', 'two');
    await anna.pass();
    const older = new PumpDevice(folder, 'anna older', { storage, privateKey: anna.privateKey });
    devices.push(older);
    expect(await older.pump.passNow()).toMatchObject({ ok: false, error: { code: 'relay-fork' } });
    const { message = '', wayOut = '', details } = older.pump.status().problem ?? {};
    expect(message).toContain('older copy');
    expect(wayOut).toContain('new identity');
    expect(details).toMatchObject({ heldSeq: 2, ownSeq: 0 });
    await older.write('three');
    expect(await older.pump.passNow()).toMatchObject({ ok: false });
    expect(storage.heads()).toEqual({ anna: 2 });
  });

  it('what its other copy wrote is told as damage on the way', async () => {
    const [, ben] = await three();
    storage.tampering.set('anna', (operations) => {
      const key = devices[0]?.privateKey ?? '';
      const saved = (name: string) => ({ agentId: name, revisionDigest: name, name, description: '', source: '' });
      const entries = ['x', 'y', 'z'].map((name) => ({ kind: 'agent.saved', payload: saved(name) }));
      return [...operations.slice(0, 2), ...forged('anna' as never, entries, { privateKey: key }).slice(2)];
    });
    await ben.pass();
    expect(ben.aside()).toMatchObject({ anna: { kind: 'chain', problem: { kind: 'broken-link', seq: 3 } } });
    const reason = ben.aside()['anna'];
    expect(reason && quarantineWords(reason, 'Anna').sentence).toContain('two stories');
  });
});
