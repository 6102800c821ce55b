import { useEffect, useState } from 'react';
import type { ExportView } from '../../../shared/contract/activity-views.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { useAction } from '../../state/use-action.ts';
import { useIsConnected } from '../../state/use-connection.ts';
import { useQuery } from '../../state/use-query.ts';
import { useRefetchEvery } from '../../state/use-refetch-every.ts';
import { Button } from '../../ui/button.tsx';
import { dayEndMs, dayOf, dayStartMs } from '../../ui/day.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { Note } from '../../ui/note.tsx';
import { useActivity } from './activity-store.ts';
import { fetchExport } from './fetch-export.ts';
import { ExportEnded, ExportProgress } from './export-progress.tsx';
import { exportText as text } from './strings.ts';

const LOOK_EVERY_MS = 300;

interface Chosen {
  readonly agentId: string;
  readonly from: string;
  readonly until: string;
}

/** Takes a signed copy of the record away: what of it, how far it is, and how to check it. Closing it stops nothing. */
export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const filters = useActivity((state) => state.filters);
  const [chosen, setChosen] = useState<Chosen>({
    agentId: filters.agentId ?? '',
    from: filters.time === null ? '' : dayOf(filters.time.sinceMs),
    until: '',
  });
  const [exportId, setExportId] = useState<string | null>(null);
  const isDesktop = useQuery('overview.get', {}).value?.surface === 'window';
  const beginning = useAction('export.begin');
  const isOrdered = chosen.from === '' || chosen.until === '' || chosen.from <= chosen.until;
  async function begin(): Promise<void> {
    const answer = await beginning.run({
      agentId: chosen.agentId === '' ? null : chosen.agentId,
      fromMs: dayStartMs(chosen.from),
      untilMs: dayEndMs(chosen.until),
    });
    if (!answer.ok) return;
    if (answer.value.path !== null) fetchExport(answer.value.path);
    setExportId(answer.value.exportId);
  }
  if (exportId !== null) {
    return <RunningExport exportId={exportId} onClose={onClose} onAgain={() => setExportId(null)} />;
  }
  return (
    <Dialog
      isOpen
      title={text.title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button
            variant="primary"
            icon="export"
            isDisabled={beginning.isBusy || !isOrdered}
            onClick={() => void begin()}
          >
            {isDesktop ? text.go : text.goBrowser}
          </Button>
        </>
      }
    >
      <p>{text.lede}</p>
      <ExportForm chosen={chosen} onChange={setChosen} mistake={isOrdered ? '' : text.wrongOrder} />
      <Note tone="plain" icon="lock">
        {text.holds}
      </Note>
      {beginning.isBusy && isDesktop && <output className="t12 ink3">{text.asking}</output>}
      <ProblemNote problem={beginning.problem} />
    </Dialog>
  );
}

function ExportForm(props: {
  readonly chosen: Chosen;
  readonly mistake: string;
  readonly onChange: (chosen: Chosen) => void;
}) {
  const { chosen, onChange } = props;
  const agents = useQuery('agents.list', {}).value?.agents ?? [];
  return (
    <div className="ac-form">
      <FormField label={text.agents} help={text.agentHelp} className="ac-agent">
        {(described) => (
          <select
            {...described}
            className="field"
            value={chosen.agentId}
            onChange={(event) => onChange({ ...chosen, agentId: event.target.value })}
          >
            <option value="">{text.everyAgent}</option>
            {agents.map((agent) => (
              <option key={agent.agentId} value={agent.agentId}>
                {agent.name}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <FormField label={text.from} help={text.fromHelp}>
        {(described) => (
          <input
            {...described}
            type="date"
            className="field"
            value={chosen.from}
            onChange={(event) => onChange({ ...chosen, from: event.target.value })}
          />
        )}
      </FormField>
      <FormField label={text.until} help={text.untilHelp} mistake={props.mistake}>
        {(described) => (
          <input
            {...described}
            type="date"
            className="field"
            value={chosen.until}
            onChange={(event) => onChange({ ...chosen, until: event.target.value })}
          />
        )}
      </FormField>
    </div>
  );
}

function RunningExport(props: {
  readonly exportId: string;
  readonly onClose: () => void;
  readonly onAgain: () => void;
}) {
  const query = useQuery('export.get', { exportId: props.exportId });
  const isConnected = useIsConnected();
  const cancelling = useAction('export.cancel');
  const view = query.value;
  const isOver = view !== null && isEnded(view);
  useRefetchEvery(query, isOver ? null : LOOK_EVERY_MS);
  const { refetch } = query;
  // The progress is no entry of the record: nothing else tells that it was cancelled.
  useEffect(() => {
    if (!cancelling.isBusy) refetch();
  }, [cancelling.isBusy, refetch]);
  return (
    <Dialog
      isOpen
      title={text.title}
      width="wide"
      onClose={props.onClose}
      actions={
        isOver ? (
          <>
            <Button onClick={props.onAgain}>{text.another}</Button>
            <Button variant="primary" onClick={props.onClose}>
              {text.close}
            </Button>
          </>
        ) : (
          <>
            <Button isDisabled={cancelling.isBusy} onClick={() => void cancelling.run({ exportId: props.exportId })}>
              {text.stop}
            </Button>
            <Button onClick={props.onClose}>{text.close}</Button>
          </>
        )
      }
    >
      {view !== null && (isOver ? <ExportEnded view={view} /> : <ExportProgress view={view} />)}
      {!isConnected && <p className="t12 ink3">{text.lost}</p>}
      {view === null && <ProblemNote problem={query.problem} />}
      <ProblemNote problem={cancelling.problem} />
    </Dialog>
  );
}

function isEnded({ state }: ExportView): boolean {
  return state !== 'waiting' && state !== 'writing';
}

function ProblemNote({ problem }: { readonly problem: Problem | null }) {
  if (problem === null) return null;
  return (
    <Note tone="plain" icon="warn" role="alert" title={problem.message}>
      {problem.wayOut}
    </Note>
  );
}
