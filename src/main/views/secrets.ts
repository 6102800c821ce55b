import type { SecretRow, SecretsView } from '../../shared/contract/secret-views.ts';
import { secretsOf } from '../../shared/core/run/secrets-of.ts';
import type { NamedSecrets } from '../secrets/create-secrets.ts';
import { environmentVariableOf } from '../secrets/environment-secrets.ts';
import { readAll } from '../store/connection.ts';
import type { AgentRecord } from '../store/rows.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

/** The secrets that are there, by `names`, and those that an agent asks for in vain. Values are not looked at. */
export function secretsView(
  source: ViewSource,
  of: { readonly names: readonly string[]; readonly secrets: NamedSecrets },
): SecretsView {
  const { names, secrets } = of;
  const users = usersByName(source);
  const { kind, sentence } = secrets.protection();
  return {
    sequence: sequenceOf(source),
    kept: names.map((name) => ({
      name,
      agents: users.get(name) ?? [],
      variable: secrets.isFromEnvironment(name) ? environmentVariableOf(name) : null,
    })),
    missing: [...users]
      .filter(([name]) => !names.includes(name))
      .map(([name, agents]) => ({ name, agents }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    protection: { kind, sentence },
  };
}

/** Which agents ask for which secrets in their current version, whether or not they are permitted. */
function usersByName(source: ViewSource): Map<string, SecretRow['agents'][number][]> {
  const users = new Map<string, SecretRow['agents'][number][]>();
  for (const agent of readAll<AgentRecord>(source.connection.db, 'SELECT * FROM agents ORDER BY name, agent_id')) {
    const strategy = source.strategyOf(agent.revision_digest);
    for (const name of strategy === null ? [] : secretsOf(strategy)) {
      const user = { agentId: agent.agent_id, name: agent.name };
      users.set(name, [...(users.get(name) ?? []), user]);
    }
  }
  return users;
}
