import { describe, expect, it } from 'vitest';
import type { LeaseHolder } from '../../shared/contract/lease-views.ts';
import { ownersOf } from './lease-owners.ts';

const mac: LeaseHolder = { kind: 'device', deviceId: 'mac', name: 'This Mac' };
const work: LeaseHolder = { kind: 'device', deviceId: 'work', name: 'Work-PC' };
const lease = (holder: LeaseHolder, isHere = false) => ({ holder, isHere });

describe('who has the right to act', () => {
  it('lists nobody before a device, or another device before this one', () => {
    const owners = ownersOf([
      lease({ kind: 'nobody' }),
      lease({ kind: 'unknown' }),
      lease(work),
      lease(work),
      lease(mac, true),
    ]);
    expect(owners).toEqual([
      { holder: mac, count: 1 },
      { holder: work, count: 2 },
      { holder: { kind: 'unknown' }, count: 1 },
      { holder: { kind: 'nobody' }, count: 1 },
    ]);
  });

  it('counts two devices of one name as one', () => {
    const namesake: LeaseHolder = { ...work, deviceId: 'other' };
    expect(ownersOf([lease(work), lease(namesake)]).map((owner) => owner.count)).toEqual([1, 1]);
  });
});
