import { describe, expect, it } from 'vitest';
import { strategySchema } from '../../contract/strategy.ts';
import { secretsOf } from './secrets-of.ts';

describe('the secrets that a strategy would use', () => {
  it('leave one out that a person would then grant unseen, or name what is none', () => {
    const strategy = strategySchema.parse({
      fencepost: 1,
      id: 'a',
      name: 'A',
      scope: {
        servers: {
          files: { command: ['node', 'server.js'], secretEnv: { TOKEN: 'server-token' }, env: { secret: 'no' } },
          web: { url: 'https://tools.example.com', secretHeaders: { authorization: { secret: 'web-token' } } },
        },
        mailboxes: { work: { from: 'a@example.com', smtp: { host: 'mail', port: 465, secret: 'mail-password' } } },
        models: { muse: { provider: 'openai', model: 'm', secret: 'model-key' } },
      },
      triggers: { webhooks: [{ id: 'hook', secret: 'hook-token', input: { secret: 'no' } }] },
      start: 'call',
      states: {
        call: {
          type: 'tool',
          call: { tool: 'mcp.call', server: 'files', name: 'read', arguments: { secret: 'no' } },
          onSuccess: 'run',
        },
        run: {
          type: 'tool',
          call: { tool: 'shell', argv: ['true'], secretEnv: { KEY: 'shell-key' } },
          onSuccess: 'end',
        },
        end: { type: 'done' },
      },
    });
    expect(secretsOf(strategy)).toEqual([
      'hook-token',
      'mail-password',
      'model-key',
      'server-token',
      'shell-key',
      'web-token',
    ]);
  });
});
