import { describe, expect, it } from 'vitest';
import type { DeviceId } from '../../../shared/contract/identifiers.ts';
import { err } from '../../../shared/lib/result.ts';
import type { HubDevices } from '../hub-devices.ts';
import { RELAY_LARGE_AT_ONCE, RELAY_RATE } from '../hub-limits.ts';
import type { HubSession } from '../sessions.ts';
import { hubRelayUnreachable } from './relay-problem.ts';
import { createRelayDoor } from './relay-routes.ts';
import type { RelayDoor, RelayRoute } from './relay-routes.ts';
import { RELAY_PATHS } from './relay-wire.ts';

const ANNA: HubSession = { sessionId: 'one', deviceId: 'anna' as DeviceId };
const BEN: HubSession = { sessionId: 'two', deviceId: 'ben' as DeviceId };

function openDoor(): RelayDoor {
  const storage = err(hubRelayUnreachable('There is none in this test.'));
  return createRelayDoor({ storage, devices: {} as HubDevices });
}

function routeOf(door: RelayDoor, path: string): RelayRoute {
  const route = door.route(path);
  if (route === undefined) throw new Error(`There is nothing at ${path}.`);
  return route;
}

describe('the door to the journals', () => {
  it('lets one device ask without end, or keeps another out because of it', () => {
    const door = openDoor();
    const route = routeOf(door, RELAY_PATHS.contact);
    for (let asked = 0; asked < RELAY_RATE.burst; asked += 1) expect(door.enter(ANNA, route, 0)).not.toBeNull();
    expect(door.enter(ANNA, route, 0)).toBeNull();
    expect(door.enter(BEN, route, 0)).not.toBeNull();
    expect(door.enter(ANNA, route, 1_000 / RELAY_RATE.perSecond)).not.toBeNull();
  });

  it('holds more large pieces of one device in memory than it may, or forgets that one was dealt with', () => {
    const door = openDoor();
    const push = routeOf(door, RELAY_PATHS.push);
    const leaving = Array.from({ length: RELAY_LARGE_AT_ONCE }, () => door.enter(ANNA, push, 0));
    expect(leaving).not.toContain(null);
    expect(door.enter(ANNA, push, 0)).toBeNull();
    expect(door.enter(ANNA, routeOf(door, RELAY_PATHS.pull), 0), 'a small one').not.toBeNull();
    expect(door.enter(BEN, push, 0)).not.toBeNull();
    leaving[0]?.();
    expect(door.enter(ANNA, push, 0)).not.toBeNull();
    expect(door.enter(ANNA, push, 0)).toBeNull();
  });

  it('finds something at a path that every object has', () => {
    for (const path of ['constructor', '__proto__', 'toString', '/v1/relay', '/v1/relay/']) {
      expect(openDoor().route(path), path).toBeUndefined();
    }
  });
});
