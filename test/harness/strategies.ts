import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The effect kinds that differ in what may be done when nobody knows. */
export type TestedKind = 'blind' | 'keyed' | 'verifiable' | 'read-only' | 'compensable';

/** A fresh folder that the test may fill. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'fencepost-test-'));
}

/** The declaration of an effect of a kind; a verifiable one is looked for at its own address. */
export function effectOf(kind: TestedKind, url: string): string {
  if (kind === 'keyed') return '{ kind: idempotent-by-key, dedupeWindowMs: 3600000 }';
  if (kind === 'verifiable') return `{ kind: verifiable, probe: { tool: http.request, method: GET, url: '${url}' } }`;
  if (kind === 'read-only') return '{ kind: read-only }';
  if (kind === 'compensable')
    return `{ kind: compensable, undo: { tool: http.request, method: DELETE, url: '${url}-undo' } }`;
  return '{ kind: blind }';
}

/** One effect of a kind at a receiver, then done; with a question before it where asked for. Returns the file. */
export function writeStrategy(of: {
  agentId: string;
  kind: TestedKind;
  origin: string;
  path: string;
  asks?: boolean;
  timeoutMs?: number;
}): string {
  const url = `${of.origin}${of.path}`;
  const file = join(temporaryFolder(), `${of.agentId}.yaml`);
  const question =
    of.asks === true
      ? 'start: ask\nstates:\n  ask: { type: approve, question: Send it?, of: send, onSuccess: send }\n'
      : 'start: send\nstates:\n';
  const text = `fencepost: 1
id: ${of.agentId}
name: Test ${of.kind}
scope: { hosts: ['${new URL(of.origin).host}'] }
leaseTtlMs: 3000
${question}  send:
    type: tool
    call: { tool: http.request, method: POST, url: '${url}', body: hello, timeoutMs: ${of.timeoutMs ?? 10_000} }
    effect: ${effectOf(of.kind, url)}
    onSuccess: finish
  finish: { type: done }
`;
  writeFileSync(file, text);
  return file;
}

/** A whole graph: its states as YAML by their names, and `finish`. Returns the file. */
export function writeGraph(of: {
  agentId: string;
  origin: string;
  start: string;
  states: Readonly<Record<string, string>>;
  /** More of the scope, such as models and servers. */
  scope?: string;
}): string {
  const file = join(temporaryFolder(), `${of.agentId}.yaml`);
  const states = Object.entries({ ...of.states, finish: '{ type: done }' }).map(([name, text]) => `  ${name}: ${text}`);
  const scope = of.scope === undefined ? '' : `, ${of.scope}`;
  const text = `fencepost: 1
id: ${of.agentId}
name: Test ${of.agentId}
scope: { hosts: ['${new URL(of.origin).host}']${scope} }
leaseTtlMs: 6000
start: ${of.start}
states:
${states.join('\n')}
`;
  writeFileSync(file, text);
  return file;
}
