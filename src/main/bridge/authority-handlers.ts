import type { ParsedRequestOf, Route } from '../../shared/contract/api.ts';
import type { GrantPreviewView } from '../../shared/contract/decision-views.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { assertNever } from '../../shared/lib/assert-never.ts';
import { ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import type { GrantTerms } from '../store/transactions/give-grant.ts';
import { controlView } from '../views/control.ts';
import { devicesText } from '../views/control-words.ts';
import { exactTimeText } from '../views/words.ts';
import type { Caller, Handlers } from './application.ts';
import { read, tell } from './answers.ts';

type Some<R extends Route> = Pick<Handlers, R>;
type PersonAt = (caller: Caller) => string;

/** Permissions, standing permissions, and the stops and pauses of agents: everything that says who may act. */
export function authority(
  control: HostControl,
  personAt: PersonAt,
): Some<
  | 'agents.preview'
  | 'agents.authorise'
  | 'agents.revoke'
  | 'standing.give'
  | 'standing.revoke'
  | 'control.get'
  | 'control.stop'
  | 'control.pause'
  | 'control.resume'
> {
  return { ...permissions(control, personAt), ...stopsAndPauses(control, personAt) };
}

function permissions(
  control: HostControl,
  personAt: PersonAt,
): Some<'agents.preview' | 'agents.authorise' | 'agents.revoke' | 'standing.give' | 'standing.revoke'> {
  return {
    'agents.preview': (request) => Promise.resolve(preview(control, request)),
    'agents.authorise': ({ agentId, previewDigest, devices, expiresAtMs }, caller) =>
      control.authorise(agentId, previewDigest, personAt(caller), termsOf(control, devices, expiresAtMs)),
    'agents.revoke': ({ agentId }, caller) =>
      tell(control.revoke(agentId, personAt(caller)), () => 'Revoked. It can send nothing from now on.'),
    'standing.give': ({ forMs, ...request }, caller) =>
      tell(
        control.allowLikeThis({ ...request, expiresAtMs: control.nowMs() + forMs, by: personAt(caller) }),
        () => 'Allowed, and later questions like this one until then.',
      ),
    'standing.revoke': ({ standingId }, caller) =>
      tell(control.revokeStanding(standingId, personAt(caller)), () => 'Revoked. You are asked each time again.'),
  };
}

function termsOf(control: HostControl, devices: 'any' | 'this', expiresAtMs: number | null): GrantTerms {
  return { devices: devices === 'any' ? '*' : [control.device.deviceId], expiresAtMs };
}

function preview(
  control: HostControl,
  { agentId, devices, lasts }: ParsedRequestOf<'agents.preview'>,
): Result<GrantPreviewView, Problem> {
  const expiresAtMs = endOf(control, lasts);
  const terms = termsOf(control, devices, expiresAtMs);
  const found = control.previewGrant(agentId, terms);
  if (!found.ok) return found;
  const until = expiresAtMs === null ? 'until you take it back' : `until ${exactTimeText(expiresAtMs)}`;
  const { previewDigest } = found.value;
  return ok({ previewDigest, expiresAtMs, sentence: `It holds ${devicesText(control, terms.devices)}, ${until}.` });
}

function endOf(control: HostControl, lasts: ParsedRequestOf<'agents.preview'>['lasts']): number | null {
  switch (lasts.kind) {
    case 'always':
      return null;
    case 'for':
      return control.nowMs() + lasts.ms;
    case 'until':
      return lasts.atMs;
    default:
      return assertNever(lasts);
  }
}

function stopsAndPauses(
  control: HostControl,
  personAt: PersonAt,
): Some<'control.get' | 'control.stop' | 'control.pause' | 'control.resume'> {
  return {
    'control.get': ({ agentId }) =>
      read(control, (source) => controlView(source, agentId ?? null), 'There is no such agent.'),
    'control.stop': ({ agentId }, caller) =>
      tell(control.stopAgents(agentId ?? null, personAt(caller)), ({ inFlight }) =>
        inFlight === 0
          ? 'Stopped. Nothing further is sent.'
          : 'Stopped. What is on its way is followed to its end. Nothing further is sent.',
      ),
    'control.pause': ({ agentId }, caller) =>
      tell(control.pauseAgents(agentId ?? null, personAt(caller)), ({ inFlight }) =>
        inFlight === 0
          ? 'Paused. Nothing is lost.'
          : 'Pause requested. What is on its way is followed to its end. Nothing new is sent.',
      ),
    'control.resume': ({ agentId }, caller) =>
      tell(control.resumeAgents(agentId ?? null, personAt(caller)), () => 'Resumed. What was held back goes on.'),
  };
}
