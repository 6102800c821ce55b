import { describe, expect, it } from 'vitest';
import { ok } from '../../shared/lib/result.ts';
import { publicKeyOf } from '../hub/proofs.ts';
import { DEVICE_KEY_SECRET, ensureDeviceKey } from './device-key.ts';

describe('the key of a device', () => {
  it('two who ask for it first get two keys, and one of them is known to nobody later', async () => {
    const values = new Map<string, string>();
    const secrets = {
      read: async (name: string) => await Promise.resolve(values.get(name) ?? null),
      write: async (name: string, value: string) => {
        values.set(name, value);
        return await Promise.resolve(ok(null));
      },
    };
    const [one, other] = await Promise.all([ensureDeviceKey(secrets), ensureDeviceKey(secrets)]);
    const kept = values.get(DEVICE_KEY_SECRET) ?? '';
    expect([one, other, await ensureDeviceKey(secrets)]).toEqual([ok(kept), ok(kept), ok(kept)]);
    expect(publicKeyOf(kept)).toHaveLength(43);
  });

  it('a store that cannot be read now is taken for an empty one', async () => {
    const secrets = {
      read: async () => await Promise.reject(new Error('locked')),
      write: async () => await Promise.resolve(ok(null)),
    };
    expect(await ensureDeviceKey(secrets)).toMatchObject({ error: { code: 'store-unsure' } });
  });
});
