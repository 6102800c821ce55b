import type { Responses } from '../../src/shared/contract/api.ts';
import type { SignInRow } from '../../src/shared/contract/sign-in-views.ts';

const DAY = 86_400_000;
const ANA = { agentId: 'invoice-chaser', name: 'Invoice chaser' };
const REPORT = { agentId: 'morning-report', name: 'Morning report' };

/** Answers for the parts of the settings about tools, the record and diagnostics. */
export function settingsAnswers(nowMs: number) {
  return {
    'tools.list': {
      sequence: 1,
      tools: [
        { tool: 'file.write', effects: [{ when: 'always', kind: 'verifiable' }], agents: [REPORT] },
        {
          tool: 'http.request',
          effects: [
            { when: 'reading', kind: 'read-only' },
            { when: 'changing', kind: 'blind' },
          ],
          agents: [ANA, { agentId: 'price-watch', name: 'Price\u202Ewatch' }, REPORT],
        },
        {
          tool: 'mail.send',
          effects: [
            { when: 'with-sent-folder', kind: 'verifiable' },
            { when: 'without-sent-folder', kind: 'blind' },
          ],
          agents: [ANA, REPORT],
        },
        { tool: 'mcp.call', effects: [{ when: 'always', kind: 'blind' }], agents: [] },
        { tool: 'model.call', effects: [{ when: 'always', kind: 'idempotent-by-key' }], agents: [REPORT] },
        { tool: 'shell', effects: [{ when: 'always', kind: 'blind' }], agents: [] },
        { tool: 'script', effects: [{ when: 'always', kind: 'blind' }], agents: [] },
      ],
    },
    'signIns.list': signInsView(nowMs),
    'signIns.cancel': { sentence: 'Called off. Nothing was kept.' },
    'record.get': recordView(nowMs),
    'record.keep': { sentence: 'Kept. It is looked at once an hour.' },
    'record.check': { sentence: 'The check has begun.' },
    'diagnostics.get': { text: 'Fencepost diagnostics\nversion: 0.1.0\n' },
    'diagnostics.openFolder': { sentence: 'The folder is open.' },
  } satisfies Partial<Responses>;
}

/** A server that asks, with a change to it, and one that this device is signed in at. */
export function signInsView(nowMs: number, change: Partial<SignInRow> = {}): Responses['signIns.list'] {
  const shared = { signedInAtMs: null, attempt: 0, isWaiting: false, problem: null };
  return {
    sequence: 1,
    servers: [
      {
        ...shared,
        address: 'https://mcp.example.com/mcp',
        host: 'mcp.example.com',
        agents: [ANA, REPORT],
        standing: 'asks',
        ...change,
      },
      {
        ...shared,
        address: 'https://tickets.example.org/team/42/mcp',
        host: 'tickets.example.org',
        agents: [REPORT],
        standing: 'signed-in',
        signedInAtMs: nowMs - 3 * DAY,
      },
    ],
  };
}

/** A record of a fair size that was never checked. */
export function recordView(nowMs: number, change: Partial<Responses['record.get']> = {}): Responses['record.get'] {
  return {
    sequence: 1,
    databaseBytes: 48_730_112,
    logBytes: 1_204_224,
    journalEntries: 120_482,
    condensedRuns: 214,
    backups: {
      folder: '/home/ana/.config/fencepost/profiles/main/backups',
      count: 2,
      bytes: 88_104_960,
      newestAtMs: nowMs - 12 * DAY,
    },
    retention: '90-days',
    check: null,
    ...change,
  };
}
