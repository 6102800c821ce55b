import { afterEach, describe, expect, it } from 'vitest';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { NO_SECRETS } from '../secrets/no-secrets.ts';
import { sha256 } from '../store/connection.ts';
import { secretsView } from './secrets.ts';
import { createViewBench } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

/** Names a secret in its scope, in a call, in a webhook and in the probe of a call. */
const STRATEGY = `fencepost: 1
id: poster
name: Poster
scope:
  hosts: ['api.example.com']
  models: { small: { provider: openai, model: tiny, secret: model-key } }
triggers: { webhooks: [{ id: inbound, secret: hook-key }] }
start: post
states:
  post:
    type: tool
    call:
      tool: http.request
      method: POST
      url: 'https://api.example.com/x'
      headers: { secret: not-a-secret }
      secretHeaders: { Authorization: { secret: api-key, prefix: 'Bearer ' } }
    effect:
      kind: verifiable
      probe: { tool: shell, argv: [look], secretEnv: { TOKEN: look-key } }
    onSuccess: end
  end: { type: done }
`;

let bench: ViewBench;
afterEach(() => bench.remove());

function save(agentId: string, name: string): void {
  const revisionDigest = sha256(agentId);
  bench.append('agent.saved', { agentId: agentId as AgentId, revisionDigest, name, description: '', source: STRATEGY });
}

describe('the secrets that are shown', () => {
  it('hide that an agent asks for one that is not there, or who uses one', () => {
    bench = createViewBench(STRATEGY);
    save('two', 'Two');
    save('one', 'One');
    const view = secretsView(bench.source, {
      names: ['api-key', 'model-key', 'unused'],
      secrets: { ...NO_SECRETS, isFromEnvironment: (name) => name === 'model-key' },
    });
    const both = [
      { agentId: 'one', name: 'One' },
      { agentId: 'two', name: 'Two' },
    ];
    expect(view.kept).toEqual([
      { name: 'api-key', agents: both, variable: null },
      { name: 'model-key', agents: both, variable: 'FENCEPOST_SECRET_MODEL_KEY' },
      { name: 'unused', agents: [], variable: null },
    ]);
    expect(view.missing).toEqual([
      { name: 'hook-key', agents: both },
      { name: 'look-key', agents: both },
    ]);
    expect(view.protection).toEqual({ kind: 'session', sentence: NO_SECRETS.protection().sentence });
  });
});
