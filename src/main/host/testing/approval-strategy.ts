/** Asks a person, then sends once, then is done. `url` may hold a template over the input `what`. */
export function askedOnce(agentId: string, url: string, effect = 'kind: blind'): string {
  return `fencepost: 1
id: ${agentId}
name: Test ${agentId}
input: { what: { title: What, default: one } }
scope: { hosts: ['${new URL(url).host}'] }
start: ask
states:
  ask: { type: approve, question: Send it?, of: post, onSuccess: post, onFailure: never }
  post: { type: tool, call: { tool: http.request, method: POST, url: '${url}', body: '{{ input.what }}' }, effect: { ${effect} }, onSuccess: finish }
  finish: { type: done }
  never: { type: done, title: Not sent }
`;
}
