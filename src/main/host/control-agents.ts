import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import { parseStrategy } from '../strategy/load-strategy.ts';
import { findAgent } from '../store/rows.ts';
import { giveGrant, OPEN_TERMS, previewGrant } from '../store/transactions/give-grant.ts';
import { holdAgents } from '../store/transactions/hold-agent.ts';
import type { HostControl } from './control.ts';
import type { Host } from './host.ts';
import type { HostPorts } from './ports.ts';
import { claimHomes } from './sync/home.ts';
import { pressRevoke, pressStopAgents } from './press-stop.ts';

const NOT_OPEN = problem(
  'store-unsure',
  'The record is being opened again after a disk error.',
  'Nothing was sent. Wait a moment.',
);

type Agents = Pick<
  HostControl,
  'saveAgent' | 'previewGrant' | 'authorise' | 'revoke' | 'stopAgents' | 'pauseAgents' | 'resumeAgents'
>;

/** What a person does with an agent, or with all of them. */
export function agents(ports: HostPorts, host: Host): Agents {
  const { store } = ports;
  const hold = async (agentId: Parameters<Agents['pauseAgents']>[0], by: string, isUp: boolean) => {
    const { strategyOf, clock } = ports;
    const written = await store.write((connection) => {
      if (agentId !== null && findAgent(connection.db, agentId) === null) return false;
      holdAgents(connection, { agentId, isUp, by, strategyOf, nowMs: clock.read().wallMs });
      return true;
    });
    host.wake();
    if (!written.ok) return written;
    const inFlight = [...host.state.inFlight.values()].filter(
      (flight) => agentId === null || flight.attempt.effect.agentId === agentId,
    ).length;
    return written.value ? ok({ inFlight }) : err(problem('not-found', 'There is no such agent.'));
  };
  return {
    async saveAgent(fileName, source, by) {
      const parsed = parseStrategy(fileName, source);
      if (!parsed.ok) return ok({ problems: parsed.error });
      const { strategy, digest } = parsed.value;
      const { id: agentId, name, description } = strategy;
      const written = await store.write((connection) => {
        const { db, journal } = connection;
        if (findAgent(db, agentId)?.revision_digest === digest) return;
        const saved = { agentId, revisionDigest: digest, name, description, source };
        journal.append('agent.saved', { ...saved, ...(by === undefined ? {} : { by }) });
        claimHomes(connection, ports.coordinator.identity);
      });
      host.wake();
      return written.ok ? ok({ agentId }) : written;
    },
    previewGrant(agentId, terms = OPEN_TERMS) {
      const connection = store.connection();
      return connection === null ? err(NOT_OPEN) : previewGrant(connection, agentId, terms);
    },
    async authorise(agentId, previewDigest, by, terms = OPEN_TERMS) {
      const written = await store.write((connection) => giveGrant(connection, { agentId, previewDigest, terms, by }));
      host.wake();
      return written.ok ? written.value : written;
    },
    revoke: (agentId, by) => pressRevoke(ports, host, { agentId, by }),
    stopAgents: (agentId, by) => pressStopAgents(ports, host, { agentId, by }),
    pauseAgents: (agentId, by) => hold(agentId, by, true),
    async resumeAgents(agentId, by) {
      const resumed = await hold(agentId, by, false);
      return resumed.ok ? ok(null) : resumed;
    },
  };
}
