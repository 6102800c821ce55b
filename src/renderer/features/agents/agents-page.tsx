import { useState } from 'react';
import { Link, useLocation, useRoute } from 'wouter';
import type { AgentRow } from '../../../shared/contract/views.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorState } from '../../ui/error-state.tsx';
import { Icon } from '../../ui/icon.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { AgentDetail } from './agent-detail.tsx';
import { agentLook, inListOrder, openedFirst } from './agent-status.ts';
import { NewAgentDialog } from './new-agent-dialog.tsx';
import { text } from './strings.ts';
import './agents.css';

/** All agents beside the one that is open; without an address the most urgent one is shown, or the one to practise with. */
export function AgentsPage() {
  const { value, problem, refetch } = useQuery('agents.list', {});
  const [isOpen, params] = useRoute('/agents/:id');
  const [isAdding, setIsAdding] = useState(false);
  const agents = value === null ? [] : inListOrder(value.agents);
  const shown = isOpen ? readId(params.id) : (openedFirst(agents)?.agentId ?? null);
  const newAgent = (
    <Button icon="plus" onClick={() => setIsAdding(true)}>
      {text.newAgent}
    </Button>
  );
  return (
    <div className="page">
      <header className="top">
        <h1>{text.heading}</h1>
        {value !== null && <span className="ink3">{agents.length}</span>}
        <span className="right flex">
          {isOpen && <BackToAll />}
          {newAgent}
        </span>
      </header>
      {value === null && problem !== null && (
        <div className="pad">
          <ErrorState title={text.listFailed} problem={problem} onRetry={refetch} />
        </div>
      )}
      {value !== null && agents.length === 0 && (
        <EmptyState icon="agents" title={text.emptyTitle} action={newAgent}>
          <p>{text.empty}</p>
        </EmptyState>
      )}
      {agents.length > 0 && (
        <div className={isOpen ? 'body ag-body open' : 'body ag-body'}>
          <AgentList agents={agents} shown={shown} />
          {shown === null ? <p className="ag-rest">{text.pick}</p> : <AgentDetail key={shown} agentId={shown} />}
        </div>
      )}
      {isAdding && <NewAgentDialog onClose={() => setIsAdding(false)} />}
    </div>
  );
}

function AgentList({ agents, shown }: { readonly agents: readonly AgentRow[]; readonly shown: string | null }) {
  return (
    <section className="ag-list" aria-label={text.listName}>
      <ul>
        {agents.map((agent) => {
          const look = agentLook(agent.status);
          return (
            <li key={agent.agentId}>
              <Link
                href={`/agents/${encodeURIComponent(agent.agentId)}`}
                className={`ag-row ${look.tone}`}
                aria-current={agent.agentId === shown ? 'true' : undefined}
              >
                <Icon name={look.icon} />
                <div className="grow">
                  <p className="cut name">
                    <VisibleText text={agent.name} />
                  </p>
                  <p className="x cut">{look.word}</p>
                </div>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Only there where the list has folded away. */
function BackToAll() {
  const [, navigate] = useLocation();
  return (
    <Button className="ag-back" onClick={() => navigate('/agents')}>
      {text.back}
    </Button>
  );
}

/** An id as it was before it went into the address. */
function readId(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
