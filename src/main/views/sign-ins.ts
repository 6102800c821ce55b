import type { ToolServer } from '../../shared/contract/scope.ts';
import type { SignInRow, SignInsView } from '../../shared/contract/sign-in-views.ts';
import { readAll } from '../store/connection.ts';
import type { AgentRecord } from '../store/rows.ts';
import { signInAddress } from '../tools/mcp/sign-in/sign-in-address.ts';
import type { SignInFacts } from '../tools/mcp/sign-in/sign-ins.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

type Users = ReadonlyMap<string, SignInRow['agents']>;

/** The tool servers that somebody can sign in at, with what is known about each; `factsOf` has the facts of all of them. */
export function signInsView(source: ViewSource, factsOf: ReadonlyMap<string, SignInFacts>): SignInsView {
  const users = signInUsers(source);
  const servers = [...factsOf].map(([address, facts]) => {
    return { address, host: new URL(address).host, agents: users.get(address) ?? [], ...facts };
  });
  return {
    sequence: sequenceOf(source),
    servers: servers.toSorted((one, other) => (one.address < other.address ? -1 : 1)),
  };
}

/** The addresses that agents name in their current version, and which agents do. */
export function signInUsers(source: ViewSource): Users {
  const users = new Map<string, SignInRow['agents'][number][]>();
  for (const agent of readAll<AgentRecord>(source.connection.db, 'SELECT * FROM agents ORDER BY name, agent_id')) {
    const servers = Object.values(source.strategyOf(agent.revision_digest)?.scope.servers ?? {});
    const addresses = servers.map(signInAddress).flatMap((each) => ('address' in each ? [each.address] : []));
    for (const address of new Set(addresses)) {
      users.set(address, [...(users.get(address) ?? []), { agentId: agent.agent_id, name: agent.name }]);
    }
  }
  return users;
}

/** What a person should know before they permit a server that asked for a sign-in; empty where there is nothing to do. */
export function signInWords(source: Pick<ViewSource, 'signIns'>, server: ToolServer): string {
  const at = signInAddress(server);
  const standing = 'none' in at ? undefined : source.signIns?.kept.standing(at.address);
  return standing === 'asks' || standing === 'lapsed'
    ? ', which asks for a sign-in: sign in under Settings, Tools'
    : '';
}
