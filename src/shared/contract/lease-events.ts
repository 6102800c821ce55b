import type { AgentId } from './identifiers.ts';

/** What happens to the right to act for an agent, as this device sees it. */
export interface LeaseEventPayloads {
  'lease.acquired': {
    agentId: AgentId;
    epoch: number;
    coordinatorId: string;
    incarnation: string;
    holdOffMs: number;
    previousHolder: string | null;
    /** Who took it over by hand; absent where the device asked by itself. */
    by?: string;
  };
  /** A grant of somebody else, seen in an answer of the register. */
  'lease.observed': { agentId: AgentId; epoch: number; coordinatorId: string; incarnation: string };
  'lease.released': { agentId: AgentId; epoch: number };
  'lease.lost': { agentId: AgentId; epoch: number; currentEpoch: number; holder: string | null };
  'lease.doubtful': { agentId: AgentId; epoch: number; reason: 'clocks-disagree' | 'suspended'; gapMs: number };
  'lease.went-back': { agentId: AgentId; expectedEpoch: number; answeredEpoch: number };
  /** The agent belongs to another register now: this device has found its way there, or was told. */
  'lease.moved': {
    agentId: AgentId;
    coordinatorId: string;
    incarnation: string;
    /** What a person calls that register. */
    name: string;
    epoch: number;
    by: string;
  };
  /** The register that this device asked has given the agent to another one. Nothing is sent from here until it follows. */
  'lease.moved-away': { agentId: AgentId; coordinatorId: string; incarnation: string; name: string; epoch: number };
  /** A person raised a register that went back, or another one did and this device was told. */
  'lease.bumped': { agentId: AgentId; coordinatorId: string; incarnation: string; epoch: number; by: string };
  'lease.takeover-set': { agentId: AgentId; takeover: 'automatic' | 'by-person'; by: string };
}
