import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { agentDetailView } from './agent-detail.ts';
import { AGENT, createViewBench } from './testing/view-bench.ts';
import type { ViewBench } from './testing/view-bench.ts';

let bench: ViewBench;
beforeEach(() => {
  bench = createViewBench();
  bench.startRun();
});
afterEach(() => bench.remove());

function detail() {
  const view = agentDetailView(bench.source, AGENT, (agentId) => bench.control.previewGrant(agentId));
  if (!view.ok || view.value === null) throw new Error('There is no such agent.');
  return view.value;
}

describe('what an agent asks for', () => {
  it('hides a program or a host that the permission covers', () => {
    expect(detail().asks).toEqual([
      { icon: 'http', sentence: 'Send (POST) to api.example.com:443', badge: "Can't be undone" },
      {
        icon: 'file',
        sentence: 'Write new files in ~/Reports (or what you enter as “Folder”)',
        badge: 'Can be checked',
      },
      { icon: 'program', sentence: 'Run sort, which no step does now', badge: "Can't be undone" },
      { icon: 'program', sentence: 'Run tar, which no step does now', badge: "Can't be undone" },
    ]);
  });

  it('forgets that a change needs a new permission', () => {
    expect(detail()).toMatchObject({
      agent: { status: 'waiting' },
      grant: { isForThisRevision: true, used: 1, by: 'You' },
    });
    const agent = detail();
    bench.append('agent.saved', {
      agentId: AGENT,
      revisionDigest: 'f'.repeat(64) as never,
      name: 'Poster',
      description: '',
      source: agent.source,
    });
    expect(detail()).toMatchObject({ agent: { status: 'needs-permission' }, grant: { isForThisRevision: false } });
  });
});

describe('the graph of an agent', () => {
  it('leaves a way out', () => {
    const { nodes, edges } = detail();
    expect(nodes.map((node) => node.note)).toEqual([
      'You approve',
      "Can't be undone",
      'Decides the way',
      'Waits 5 min',
      'Can be checked',
      'The run is done',
      'The run is done',
      'The run fails',
    ]);
    expect(nodes.find((node) => node.isStart)?.stateId).toBe('ask');
    expect(nodes.find((node) => node.mark === 'running')?.stateId).toBe('post');
    expect(edges).toContainEqual({ from: 'over', to: 'pause', label: 'at least 5', kind: 'success' });
    expect(edges.filter((edge) => edge.from === 'post').map((edge) => edge.label)).toEqual([
      'success',
      'failure',
      'unclear',
    ]);
  });
});
