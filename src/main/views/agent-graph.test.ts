import { describe, expect, it } from 'vitest';
import type { Strategy } from '../../shared/contract/strategy.ts';
import { parseStrategy } from '../strategy/load-strategy.ts';
import { graphEdges, graphNodes } from './agent-graph.ts';

function strategyOf(text: string): Strategy {
  const parsed = parseStrategy('agent.yaml', `fencepost: 1\nid: agent\nname: Agent\n${text}`);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value.strategy;
}

const ways = (strategy: Strategy): string[] =>
  graphEdges(strategy).map(({ from, to, label, kind }) => `${from} > ${to}: ${label} (${kind})`);

describe('the graph of an agent', () => {
  it('does not say after which failure, or under which condition, a way is taken', () => {
    const strategy = strategyOf(`start: send
scope: { hosts: [a.example] }
states:
  send:
    type: tool
    call: { tool: http.request, method: POST, url: 'https://a.example/x' }
    onSuccess: [{ when: steps.send.output.status == 204, to: over }, { to: wait }]
    onFailure: [{ class: transient, to: wait }, { class: authority, when: 1 == 1, to: over }, { to: bad }]
    onUnclear: bad
  wait: { type: wait, forMs: 1000, onSuccess: send }
  over: { type: done }
  bad: { type: fail }
`);
    expect(ways(strategy)).toEqual([
      'send > over: steps.send.output.status == 204 (success)',
      'send > wait: otherwise (success)',
      'send > wait: failure (transient) (failure)',
      'send > over: failure (authority) if 1 == 1 (failure)',
      'send > bad: any other failure (failure)',
      'send > bad: unclear (unclear)',
      'wait > send:  (success)',
    ]);
  });

  it('hides where branches begin, or draws a way past them', () => {
    const strategy = strategyOf(`start: each
states:
  each: { type: workset, items: '["a"]', do: both, parallel: 2, onSuccess: over, onFailure: bad }
  both: { type: fork, branches: { left: one, right: two }, join: together }
  one: { type: wait, forMs: 1000, onSuccess: together }
  two: { type: wait, forMs: 1000, onSuccess: together }
  together: { type: join, need: any, onSuccess: over, onFailure: bad }
  over: { type: done }
  bad: { type: fail }
`);
    expect(ways(strategy)).toEqual([
      'each > both: each item (branch)',
      'each > over: all done (success)',
      'each > bad: an item failed (failure)',
      'both > one: left (branch)',
      'both > two: right (branch)',
      'one > together:  (success)',
      'two > together:  (success)',
      'together > over: arrived (success)',
      'together > bad: too few arrived (failure)',
    ]);
    expect(graphNodes(strategy, new Map()).map((node) => node.note)).toEqual([
      'Each item, 2 at once',
      '2 branches at once',
      'Waits 1 s',
      'Waits 1 s',
      'Needs one branch',
      'The run is done',
      'The run fails',
    ]);
  });

  it('calls a tool of a server, a mail or a script safer than it is', () => {
    const strategy = strategyOf(`start: look
scope:
  folders: [/tmp]
  programs: [node]
  recipients: ['@example.com']
  servers:
    files: { command: [files], effects: { read: { kind: read-only }, write: { kind: verifiable } } }
  mailboxes:
    seen: { from: a@example.com, smtp: { host: m, port: 465 }, sent: { host: m, port: 993 } }
    blind: { from: a@example.com, smtp: { host: m, port: 465 } }
  models:
    main: { provider: openai, model: small }
states:
  look: { type: tool, call: { tool: mcp.call, server: files, name: read }, onSuccess: change }
  change: { type: tool, call: { tool: mcp.call, server: files, name: write }, effect: { kind: read-only }, onSuccess: other }
  other: { type: tool, call: { tool: mcp.call, server: files, name: other }, onSuccess: mail }
  mail: { type: tool, call: { tool: mail.send, mailbox: seen, to: [b@example.com], subject: s, text: t }, onSuccess: gone }
  gone: { type: tool, call: { tool: mail.send, mailbox: blind, to: [b@example.com], subject: s, text: t }, effect: { kind: read-only }, onSuccess: script }
  script: { type: script, call: { tool: script, interpreter: node, source: '1' }, onSuccess: ask }
  ask: { type: model, model: main, prompt: Hello, onSuccess: over }
  over: { type: done }
`);
    expect(graphNodes(strategy, new Map()).map((node) => `${node.type}: ${node.note}`)).toEqual([
      'mcp.call: Only reads',
      'mcp.call: Can be checked',
      "mcp.call: Can't be undone",
      'mail.send: Can be checked',
      "mail.send: Can't be undone",
      "script: Can't be undone",
      'model: Asks main',
      'done: The run is done',
    ]);
  });
});
