import type { Mailbox, StrategyScope } from '../../shared/contract/scope.ts';
import type { Strategy, StrategyState } from '../../shared/contract/strategy.ts';
import type { ToolCall, ToolName } from '../../shared/contract/tool-calls.ts';
import type { ToolCase, ToolEffect, ToolRow, ToolsView } from '../../shared/contract/tool-views.ts';
import { readAll } from '../store/connection.ts';
import type { AgentRecord } from '../store/rows.ts';
import { kindOfCall } from './agent-graph.ts';
import { sequenceOf } from './view-source.ts';
import type { ViewSource } from './view-source.ts';

const SMTP = { host: 'mail.example.com', port: 587, security: 'starttls' } as const;
const MAILBOX: Mailbox = { from: 'ana@example.com', smtp: SMTP };
const SENT: NonNullable<Mailbox['sent']> = { host: 'mail.example.com', port: 993, security: 'tls', folder: 'Sent' };
const request = (method: 'GET' | 'POST'): ToolCall => ({ tool: 'http.request', method, url: 'https://example.com/' });
const mail: ToolCall = { tool: 'mail.send', mailbox: 'work', to: [], subject: '', text: '' };

interface Use {
  readonly when: ToolCase;
  readonly call: ToolCall;
  readonly mailbox?: Mailbox;
}

/** One call for every way in which a tool can be used, so that what is told is what the same rule says about real ones. */
const USES: Readonly<Record<ToolName, readonly Use[]>> = {
  'file.write': [{ when: 'always', call: { tool: 'file.write', path: '', content: '', mode: 'create' } }],
  'http.request': [
    { when: 'reading', call: request('GET') },
    { when: 'changing', call: request('POST') },
  ],
  'mail.send': [
    { when: 'with-sent-folder', call: mail, mailbox: { ...MAILBOX, sent: SENT } },
    { when: 'without-sent-folder', call: mail, mailbox: MAILBOX },
  ],
  'mcp.call': [{ when: 'always', call: { tool: 'mcp.call', server: 'server', name: 'tool', arguments: {} } }],
  'model.call': [
    {
      when: 'always',
      call: { tool: 'model.call', model: 'model', system: '', messages: [], tools: [], maxOutputTokens: 1 },
    },
  ],
  shell: [{ when: 'always', call: { tool: 'shell', argv: ['true'] } }],
  script: [{ when: 'always', call: { tool: 'script', interpreter: 'node', source: '', args: [] } }],
};

/** Which tools there are, what may be done about each where nobody knows whether it happened, and who uses it. */
export function toolsView(source: ViewSource): ToolsView {
  const users = usersByTool(source);
  return {
    sequence: sequenceOf(source),
    tools: (Object.keys(USES) as ToolName[]).map((tool) => ({
      tool,
      effects: USES[tool].map(effectOf),
      agents: users.get(tool) ?? [],
    })),
  };
}

function effectOf({ when, call, mailbox }: Use): ToolEffect {
  const mailboxes: StrategyScope['mailboxes'] = mailbox === undefined ? {} : { work: mailbox };
  return { when, kind: kindOfCall(call, undefined, { scope: { servers: {}, mailboxes } }) };
}

function usersByTool(source: ViewSource): Map<ToolName, ToolRow['agents'][number][]> {
  const users = new Map<ToolName, ToolRow['agents'][number][]>();
  for (const agent of readAll<AgentRecord>(source.connection.db, 'SELECT * FROM agents ORDER BY name, agent_id')) {
    const strategy = source.strategyOf(agent.revision_digest);
    for (const tool of strategy === null ? [] : toolsOf(strategy)) {
      users.set(tool, [...(users.get(tool) ?? []), { agentId: agent.agent_id, name: agent.name }]);
    }
  }
  return users;
}

function toolsOf(strategy: Strategy): ReadonlySet<ToolName> {
  return new Set(Object.values(strategy.states).flatMap(toolsOfState));
}

function toolsOfState(state: StrategyState): readonly ToolName[] {
  if (state.type === 'tool' || state.type === 'script') return [state.call.tool];
  if (state.type !== 'model') return [];
  return ['model.call', ...state.tools.map((use): ToolName => ('server' in use ? 'mcp.call' : use.call.tool))];
}
