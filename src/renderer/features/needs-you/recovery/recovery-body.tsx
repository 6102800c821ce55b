import { useEffect, useMemo, useRef, useState } from 'react';
import type { RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { Note } from '../../../ui/note.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { answerWords, newEvidence } from './recovery-words.ts';
import { RecoveryAnswers } from './recovery-answers.tsx';
import { RecoveryChecks } from './recovery-check.tsx';
import { DecidedRecord } from './decided-record.tsx';
import { KnownAndUnknown, ReachedStrip } from './recovery-facts.tsx';
import { ReasonAndNumbers, RecoveryFooter } from './recovery-footer.tsx';
import { RecoveryHeader } from './recovery-header.tsx';
import { actWords, text } from './strings.ts';
import { useDecision } from './use-decision.ts';
import { ConfirmTwiceDialog } from './confirm-twice-dialog.tsx';

/** Everything about one unclear step: the facts stay where they are while the decision goes through its stages. */
export function RecoveryBody(props: {
  readonly view: RecoveryView;
  readonly deviceName: string;
  readonly nowMs: number;
  readonly words: { readonly clock: (ms: number) => string; readonly zone: string; readonly waiting: string };
  readonly onClose: () => void;
}) {
  const { view, words } = props;
  const [firstSeqs] = useState(() => new Set(view.known.map((row) => row.seq)));
  const newSeqs = useMemo(() => newEvidence(firstSeqs, view.known), [firstSeqs, view.known]);
  const decision = useDecision(view);
  const answers = answerWords(view, words.clock, props.nowMs);
  const chosen = answers.find((answer) => answer.choice === decision.choice) ?? null;
  const isDecided = view.decided !== null;
  useFocusOnReopen(isDecided);
  return (
    <>
      <div className="nq-scroll">
        <RecoveryHeader view={view} waiting={isDecided ? '' : words.waiting} onClose={props.onClose} />
        {view.decided === null ? (
          <div className="rc-note">
            <Note tone="needs">
              <b className="strong">{text.cannotTell(actWords(view.tool).done)}</b> {text.nothingAgain}
            </Note>
          </div>
        ) : (
          <DecidedRecord
            view={view}
            decided={view.decided}
            said={decision.said}
            clock={words.clock}
            nowMs={props.nowMs}
            onClose={props.onClose}
          />
        )}
        <ReachedStrip reached={view.reached} />
        <KnownAndUnknown view={view} newSeqs={newSeqs} zone={words.zone} />
        <LateEvidence view={view} newSeqs={newSeqs} />
        {!isDecided && (
          <>
            <RecoveryChecks view={view} clock={words.clock} nowMs={props.nowMs} />
            <RecoveryAnswers
              answers={answers}
              chosen={decision.choice}
              isDisabled={decision.secondsLeft !== null || decision.isBusy}
              onChoose={decision.choose}
            />
          </>
        )}
        <ReasonAndNumbers view={view} reason={decision.reason} onReason={isDecided ? null : decision.setReason} />
      </div>
      {!isDecided && (
        <RecoveryFooter decision={decision} chosen={chosen} deviceName={props.deviceName} onClose={props.onClose} />
      )}
      {decision.isConfirming && (
        <ConfirmTwiceDialog title={view.title} onConfirm={decision.confirm} onClose={decision.cancel} />
      )}
    </>
  );
}

/** A late answer is put where it belongs and said aloud, without moving what the person is reading. */
function LateEvidence({ view, newSeqs }: { readonly view: RecoveryView; readonly newSeqs: ReadonlySet<number> }) {
  const fresh = view.known.filter((row) => newSeqs.has(row.seq));
  return (
    <>
      <div className="sr-only" role="log" aria-live="polite">
        {fresh.map((row) => (
          <p key={row.seq}>{text.announceNew(row.sentence)}</p>
        ))}
      </div>
      <output>
        {view.lateEvidence !== null && (
          <div className="rc-late">
            <Note tone="safe" icon="info">
              <b className="strong">{text.late}</b> <VisibleText text={view.lateEvidence} />
            </Note>
          </div>
        )}
      </output>
    </>
  );
}

/** Reopened, the record is gone from under the focus: the question has it again. */
function useFocusOnReopen(isDecided: boolean): void {
  const wasDecided = useRef(isDecided);
  useEffect(() => {
    if (wasDecided.current && !isDecided) document.querySelector<HTMLElement>('#recovery-heading')?.focus();
    wasDecided.current = isDecided;
  }, [isDecided]);
}
