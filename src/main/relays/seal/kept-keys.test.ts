import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { ensureWrapKey, keepRing, readKeptRing } from './kept-keys.ts';
import { newKeyRing, rotateKeys, withoutSecret } from './key-ring.ts';
import { offerRing, openRingOffer } from './ring-offer.ts';
import { newSpaceSecret } from './space-secret.ts';
import { newWrapKey, wrapPublicKeyOf } from './wrap-key.ts';
import { readKeyRing, writeKeyRing } from './write-key-ring.ts';

const full = newKeyRing(newSpaceSecret());
const next = rotateKeys(full, []);
const ring = next.ok ? next.value.ring : full;

function storeOf(values: Map<string, string>) {
  return {
    values,
    read: async (name: string) => await Promise.resolve(values.get(name) ?? null),
    write: async (name: string, value: string) => {
      values.set(name, value);
      return await Promise.resolve(ok(null));
    },
  };
}

describe('keys in the store of secrets', () => {
  it('are others after a restart', async () => {
    const secrets = storeOf(new Map());
    expect(await readKeptRing(secrets)).toEqual({ ok: true, value: null });
    await keepRing(secrets, ring);
    expect(await readKeptRing(secrets)).toEqual({ ok: true, value: ring });
    const [made, asked] = await Promise.all([ensureWrapKey(secrets), ensureWrapKey(secrets)]);
    expect(asked).toEqual(made);
    expect(await ensureWrapKey(secrets)).toEqual(made);
    expect([...secrets.values.keys()]).toEqual(['sync-key-ring', 'sync-device-key']);
  });

  it('that cannot be read or kept are taken for none, and new ones are made', async () => {
    const secrets = storeOf(
      new Map([
        ['sync-key-ring', '{}'],
        ['sync-device-key', 'no key'],
      ]),
    );
    expect(await readKeptRing(secrets)).toMatchObject({ error: { code: 'sync-key-missing' } });
    expect(await ensureWrapKey(secrets)).toMatchObject({ error: { code: 'sync-key-missing' } });
    expect(secrets.values.get('sync-device-key')).toBe('no key');
    const locked = { ...secrets, read: async () => await Promise.reject(new Error('locked')) };
    expect(await readKeptRing(locked)).toMatchObject({ error: { code: 'sync-key-missing' } });
    expect(await ensureWrapKey(locked)).toMatchObject({ error: { code: 'store-unsure' } });
    const refused = err(problem('store-full', 'The disk is full.'));
    const noRoom = { read: async () => await Promise.resolve(null), write: async () => await Promise.resolve(refused) };
    expect([await keepRing(noRoom, ring), await ensureWrapKey(noRoom)]).toEqual([refused, refused]);
  });
});

describe('a ring as text', () => {
  it('is taken although it does not fit together', () => {
    const text = writeKeyRing(ring);
    const said = JSON.parse(text) as { epochs: { epoch: number; keys: string[] }[] };
    expect(readKeyRing(text)).toEqual({ ok: true, value: ring });
    expect(readKeyRing(writeKeyRing(withoutSecret(ring)))).toEqual({ ok: true, value: withoutSecret(ring) });
    const [first, second] = said.epochs;
    const wrong: object[] = [
      { version: 2 },
      { secret: newSpaceSecret().toString('base64url') },
      { recoveryPublicKey: wrapPublicKeyOf(newWrapKey()) },
      { epochs: [] },
      { epochs: [second] },
      { epochs: [second, first] },
      { epochs: [first, first] },
      { epochs: [{ epoch: 1, keys: ['A'.repeat(42)] }] },
      { epochs: [{ epoch: 1, keys: [`${'A'.repeat(42)}B`] }] },
      { more: 1 },
    ];
    for (const change of wrong) {
      expect(readKeyRing(JSON.stringify({ ...said, ...change }))).toMatchObject({
        error: { code: 'sync-key-missing' },
      });
    }
  });

  it('anything whatever brings the reader down, or its words quote a key', () => {
    const text = writeKeyRing(ring);
    const cut = fc.nat({ max: text.length - 1 }).map((at) => text.slice(0, at));
    const changed = fc.record({
      at: fc.nat({ max: text.length - 1 }),
      character: fc.string({ unit: 'binary', minLength: 1 }),
    });
    const given = fc.oneof(
      cut,
      fc.string({ unit: 'binary' }),
      fc.json(),
      changed.map(({ at, character }) => `${text.slice(0, at)}${character}${text.slice(at + 1)}`),
    );
    fc.assert(
      fc.property(given, (said) => {
        const read = readKeyRing(said);
        if (read.ok) expect(read.value.currentEpoch).toBe(2);
        else expect(read.error.message).toBe('The keys that this device reads the others with are damaged.');
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('the offer of a ring', () => {
  const privateKey = newWrapKey();
  const place = { wrapPublicKey: wrapPublicKeyOf(privateKey), about: ['pairing', 'nonce'] };

  function offered(): string {
    const offer = offerRing(ring, place);
    if (!offer.ok) throw new Error(offer.error.message);
    return offer.value;
  }

  it('gives a new device too little to read with, or the secret that it must not have', () => {
    expect(openRingOffer(offered(), privateKey, place.about)).toEqual({ ok: true, value: withoutSecret(ring) });
  });

  it('opens for another device, another pairing or after a change', () => {
    expect(openRingOffer(offered(), newWrapKey(), place.about)).toMatchObject({ error: { code: 'sync-key-missing' } });
    expect(openRingOffer(offered(), privateKey, ['pairingnonce'])).toMatchObject({ ok: false });
    expect(openRingOffer(`${offered()}.`, privateKey, place.about)).toMatchObject({ ok: false });
    expect(offerRing(ring, { ...place, wrapPublicKey: 'A'.repeat(43) })).toMatchObject({ ok: false });
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.nat({ max: offered().length - 1 }).map((at) => offered().slice(0, at)),
        ),
        (said) => {
          expect(openRingOffer(said, privateKey, place.about).ok).toBe(false);
          expect(openRingOffer(`fencepost-ring-v1.${said}`, privateKey, place.about).ok).toBe(false);
        },
      ),
    );
  });
});
