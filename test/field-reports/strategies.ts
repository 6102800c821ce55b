/** One step of a test's agent that sends a request; `more` goes into its call. */
export function sendStep(of: { url: string; next: string; effect?: string; more?: string }): string {
  const { url, next, effect = '{ kind: blind }', more = '' } = of;
  return `{ type: tool, call: { tool: http.request, method: POST, url: '${url}'${more} }, effect: ${effect}, onSuccess: ${next} }`;
}

/** An agent with these states, from the first of them to `finish`. */
export function agentText(of: {
  agentId: string;
  origin: string;
  states: Readonly<Record<string, string>>;
  /** What it may use besides the host, such as `, models: { … }`. */
  more?: string;
  ttlMs?: number;
}): string {
  const { agentId, origin, states, more = '', ttlMs = 3_000 } = of;
  const [start = ''] = Object.keys(states);
  const lines = Object.entries(states).map(([name, state]) => `  ${name}: ${state}`);
  return `fencepost: 1
id: ${agentId}
name: Test ${agentId}
scope: { hosts: ['${new URL(origin).host}']${more} }
leaseTtlMs: ${ttlMs}
start: ${start}
states:
${lines.join('\n')}
  finish: { type: done }
`;
}

/** Only a net: on a busy machine the steady seconds of a test are many of the calendar's. */
const PATIENT = ', timeoutMs: 300000';

/** Two effects at a receiver, one after the other. */
export function twoSends(agentId: string, origin: string, ttlMs = 3_000): string {
  const url = (name: string): string => `${origin}/${agentId}/${name}`;
  const states = {
    first: sendStep({ url: url('first'), next: 'second', more: PATIENT }),
    second: sendStep({ url: url('second'), next: 'finish', more: PATIENT }),
  };
  return agentText({ agentId, origin, states, ttlMs });
}
