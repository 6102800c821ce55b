import type { Route } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { Sharing } from '../coordinators/choice/sharing.ts';
import type { HostControl } from '../host/control.ts';
import { findAgent } from '../store/rows.ts';
import { coordinatorView } from '../views/coordinator.ts';
import { durationText } from '../views/words.ts';
import type { Caller, Handlers } from './application.ts';
import { read, tell } from './answers.ts';

type Some<R extends Route> = Pick<Handlers, R>;
type PersonAt = (caller: Caller) => string;

const NOT_HERE = problem('not-offered', 'This host shares its right to act with nobody.');

/** Where the right to act is kept, who has it, and the devices that share it. */
export function coordinatorHandlers(
  control: HostControl,
  personAt: PersonAt,
): Some<Extract<Route, `coordinator.${string}` | `hub.${string}` | `devices.${string}`>> & LeaseHandlers {
  return {
    ...choiceHandlers(control, personAt),
    ...leaseHandlers(control, personAt),
    ...hubHandlers(control),
    ...deviceHandlers(control),
    ...pairingHandlers(control),
  };
}

function shared<Value>(
  control: HostControl,
  use: (sharing: Sharing) => Promise<Result<Value, Problem>> | Result<Value, Problem>,
): Promise<Result<Value, Problem>> {
  return Promise.resolve(control.sharing === null ? err(NOT_HERE) : use(control.sharing));
}

function choiceHandlers(control: HostControl, personAt: PersonAt): Some<Extract<Route, `coordinator.${string}`>> {
  return {
    'coordinator.get': () =>
      shared(control, (sharing) => read(control, (source) => coordinatorView(source, control, sharing))),
    'coordinator.test': ({ choice, secrets }) =>
      shared(control, async ({ coordination }) => {
        const checks = await coordination.try(choice, secrets);
        return ok({ checks, isUsable: checks.every(({ state }) => state === 'ok' || state === 'warning') });
      }),
    'coordinator.move': ({ choice, secrets }, caller) =>
      shared(control, ({ coordination }) =>
        tell(
          coordination.move(choice, secrets, personAt(caller)),
          () => 'The move has begun. Nothing new is sent until it is over.',
        ),
      ),
    'coordinator.cancelMove': () =>
      shared(control, ({ coordination }) =>
        tell(coordination.cancelMove(), () => 'The move was left off. What was moved stays moved.'),
      ),
    'coordinator.confirmRestore': () =>
      shared(control, ({ coordination }) =>
        tell(
          coordination.confirmRestore(),
          () => 'It is the right one. Now raise each agent under “Right to act”; until then nothing is sent for it.',
        ),
      ),
  };
}

type LeaseHandlers = Some<'leases.takeOver' | 'leases.setTakeover' | 'leases.bump'>;

function leaseHandlers(control: HostControl, personAt: PersonAt): LeaseHandlers {
  return {
    'leases.takeOver': ({ agentId, seenEpoch }, caller) => {
      const connection = control.connection();
      const agent = connection === null ? null : findAgent(connection.db, agentId);
      if (agent === null) return Promise.resolve(err(problem('not-found', 'There is no such agent.')));
      const ttlMs = control.strategyOf(agent.revision_digest)?.leaseTtlMs;
      return tell(control.takeOver({ agentId, seenEpoch, ttlMs, by: personAt(caller) }), ({ waitsMs }) =>
        waitsMs === 0
          ? 'This device has the right to act now.'
          : `This device has the right to act now. It waits ${durationText(waitsMs)} first, so that the last one has certainly stopped.`,
      );
    },
    'leases.setTakeover': ({ agentId, takeover }, caller) =>
      tell(control.setTakeover({ agentId, takeover, by: personAt(caller) }), () =>
        takeover === 'by-person'
          ? 'From now on another device takes it over only when somebody says so.'
          : 'From now on another device takes it over by itself once the right has run out.',
      ),
    'leases.bump': ({ agentId }, caller) =>
      tell(
        control.bump(agentId, personAt(caller)),
        () => 'Raised above everything that this device has seen. It is asked for anew, and waits before it acts.',
      ),
  };
}

function hubHandlers(control: HostControl): Some<'hub.start' | 'hub.stop'> {
  return {
    'hub.start': ({ port }) =>
      shared(control, (sharing) =>
        tell(sharing.startHub(port), () => 'The hub runs. Other devices can be paired with it.'),
      ),
    'hub.stop': () =>
      shared(control, (sharing) =>
        tell(
          sharing.stopHub(),
          () => 'The hub is stopped. Devices that are paired with it send nothing until it runs again.',
        ),
      ),
  };
}

function deviceHandlers(control: HostControl): Some<'devices.list' | 'devices.rename' | 'devices.revoke'> {
  return {
    'devices.list': () =>
      shared(control, async ({ devices, pairing }) => {
        const listed = await devices.view();
        return read(control, (source) => ({
          sequence: source.connection.journal.head.seq,
          ...listed,
          invitation: pairing.invitation(),
          joining: pairing.joining(),
        }));
      }),
    'devices.rename': ({ deviceId, name }) =>
      shared(control, ({ devices }) => tell(devices.rename(deviceId, name), () => `It is called ${name} now.`)),
    'devices.revoke': ({ deviceId }) =>
      shared(control, ({ devices }) =>
        tell(devices.revoke(deviceId), () => 'Removed. It is let in no more, from this moment.'),
      ),
  };
}

function pairingHandlers(
  control: HostControl,
): Some<'devices.invite' | 'devices.cancelInvite' | 'devices.answer' | 'devices.join' | 'devices.cancelJoin'> {
  const said = (sentence: string): Result<{ sentence: string }, Problem> => ok({ sentence });
  return {
    'devices.invite': () =>
      shared(control, ({ pairing }) => {
        const invited = pairing.invite();
        return invited.ok ? said('The link works once, for two minutes.') : invited;
      }),
    'devices.cancelInvite': () =>
      shared(control, ({ pairing }) => {
        pairing.cancelInvite();
        return said('The link works no more.');
      }),
    'devices.answer': ({ invitationId, isAllowed }) =>
      shared(control, ({ pairing }) =>
        tell(pairing.answer(invitationId, isAllowed), () => (isAllowed ? 'It is paired.' : 'It was not let in.')),
      ),
    'devices.join': ({ link }) =>
      shared(control, ({ pairing }) => {
        pairing.join(link);
        return said('Looking for the hub of the link.');
      }),
    'devices.cancelJoin': () =>
      shared(control, ({ pairing }) => {
        pairing.cancelJoin();
        return said('This device was not let in.');
      }),
  };
}
