import type { CoordinatorView } from '../../shared/contract/coordinator-views.ts';
import { hostOf } from '../hub/hub-addresses.ts';
import { fingerprintOf } from '../hub/certificate.ts';
import type { HostControl } from '../host/control.ts';
import type { Sharing } from '../coordinators/choice/sharing.ts';
import { plainly } from './failure-words.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** Where the right to act is kept, how it does, and what a person can change about it. */
export function coordinatorView(source: ViewSource, control: HostControl, sharing: Sharing): CoordinatorView {
  const facts = sharing.coordination.facts();
  const { state, answeredMs } = control.coordinatorState();
  const { coordinatorId, incarnation } = control.coordinatorState().identity;
  const shown =
    facts.trouble?.code === 'register-went-back' ? 'went-back' : facts.trouble === null ? state : 'unreachable';
  return {
    sequence: sequenceOf(source),
    choice: facts.choice,
    name: facts.name,
    state: shown,
    sentence: sentenceOf(shown, facts.name, plainly(facts.trouble?.message ?? '')),
    answeredMs,
    coordinatorId,
    incarnation,
    warning: facts.warning,
    canConfirmRestore: facts.canConfirmRestore,
    move: facts.move,
    hub: hubOf(sharing),
    pairedHub: pairedOf(sharing),
  };
}

function sentenceOf(state: CoordinatorView['state'], name: string, trouble: string): string {
  if (state === 'ready') return `${name} keeps the right to act. One device at a time has it, for each agent.`;
  const because = trouble === '' ? '' : ` ${trouble}`;
  return state === 'unreachable'
    ? `${name} does not answer.${because} Nothing new is sent until it does.`
    : `${name} answered with an older state than this device has seen.${because} Nothing is sent until you have looked.`;
}

function hubOf({ hubHere, memory }: Sharing): CoordinatorView['hub'] {
  const { hub, trouble } = hubHere;
  const port = hub?.port ?? memory.hub.read()?.port ?? 0;
  return {
    isRunning: hub !== null,
    port,
    addresses: hub === null ? [] : hub.addresses().map((address) => hostOf(address, hub.port)),
    fingerprint: hub?.fingerprint ?? '',
    trouble,
  };
}

function pairedOf({ memory }: Sharing): CoordinatorView['pairedHub'] {
  const paired = memory.paired.read();
  if (paired === null) return null;
  const { name, addresses, port, certificatePem } = paired;
  return {
    name,
    addresses: addresses.map((address) => hostOf(address, port)),
    fingerprint: fingerprintOf(certificatePem),
  };
}
