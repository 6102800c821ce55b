import { describe, expect, it } from 'vitest';
import { signInAddress } from './sign-in-address.ts';

const at = (url: string, more: object = {}) => signInAddress({ url, effects: {}, ...more });

describe('the address that a sign-in holds for', () => {
  it('is another one for another spelling, or the same one for another path or query', () => {
    expect(at('HTTPS://MCP.example.com:443/a?b=c#d')).toEqual({ address: 'https://mcp.example.com/a?b=c' });
    expect(at('https://mcp.example.com/A?b=c')).toEqual({ address: 'https://mcp.example.com/A?b=c' });
    expect(at('http://127.0.0.1:4711/mcp')).toEqual({ address: 'http://127.0.0.1:4711/mcp' });
  });

  it('is one at which anybody on the way could read the token', () => {
    expect(at('http://mcp.example.com/mcp')).toEqual({ none: 'unencrypted' });
    expect(at('http://127.0.0.1.example.com/mcp')).toEqual({ none: 'unencrypted' });
    expect(at('ws://127.0.0.1/mcp')).toEqual({ none: 'unencrypted' });
  });

  it('is one at which the agent has a key of its own', () => {
    const secretHeaders = { authorization: { secret: 'a', prefix: '' } };
    expect(at('https://mcp.example.com/mcp', { secretHeaders })).toEqual({ none: 'own-key' });
    expect(at('https://mcp.example.com/mcp', { headers: { AUTHORIZATION: 'a' } })).toEqual({ none: 'own-key' });
    expect(signInAddress({ command: ['node'], effects: {} })).toEqual({ none: 'own-key' });
  });
});
