import { describe, expect, it } from 'vitest';
import type { AgentRow } from '../../../shared/contract/views.ts';
import { agentLook, inListOrder, openedFirst } from './agent-status.ts';

function agent(name: string, status: AgentRow['status']): AgentRow {
  return { agentId: name, name, description: '', status, lastRunAtMs: null, isSample: false };
}

describe('the list of agents', () => {
  it('never hides the one that needs a person below the quiet ones', () => {
    const rows = inListOrder([
      agent('a', 'ready'),
      agent('z', 'needs-recovery'),
      agent('m', 'running-here'),
      agent('b', 'done'),
    ]);
    expect(rows.map((row) => row.name)).toEqual(['z', 'm', 'a', 'b']);
  });

  it('opens on the first start with an agent that cannot run here, instead of the one to practise with', () => {
    const notes = { ...agent('Ask my notes', 'needs-permission'), isSample: true };
    const practice = { ...agent('Practice run', 'needs-permission'), isSample: true };
    expect(openedFirst([notes, practice])?.name).toBe('Practice run');
    // Later on what needs a person, or the first in the list.
    expect(openedFirst([notes, { ...practice, lastRunAtMs: 1 }])?.name).toBe('Ask my notes');
    expect(openedFirst([notes, practice, agent('z', 'needs-recovery')])?.name).toBe('z');
    expect(openedFirst([])).toBeNull();
  });

  it('has a shape and a word for every state', () => {
    for (const status of ['ready', 'needs-permission', 'done', 'needs-recovery', 'missed'] as const) {
      expect(agentLook(status).word).not.toBe('');
    }
  });
});
