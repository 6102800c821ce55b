import { useRef, useState } from 'react';
import type { ApprovalView } from '../../../../shared/contract/decision-views.ts';
import { useAction } from '../../../state/use-action.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Note } from '../../../ui/note.tsx';
import { RadioGroup } from '../../../ui/radio-group.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { text } from './strings.ts';

const HOUR_MS = 3_600_000;
const ENDS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;
type Ends = keyof typeof ENDS;

/** Allows this and later questions like it. Nothing is chosen beforehand, and the narrow answer is the safe button. */
export function AllowLikeDialog(props: {
  readonly view: ApprovalView;
  readonly reason: string;
  readonly onClose: () => void;
}) {
  const { view, onClose } = props;
  const safe = useRef<HTMLButtonElement>(null);
  const give = useAction('standing.give');
  const [scope, setScope] = useState<ApprovalView['scopes'][number]['scope'] | null>(null);
  const [ends, setEnds] = useState<Ends | null>(null);
  const isChosen = scope !== null && ends !== null;
  async function go(): Promise<void> {
    if (scope === null || ends === null) return;
    const { approvalId, inputDigest } = view;
    const answer = await give.run({ approvalId, inputDigest, scope, forMs: ENDS[ends], reason: props.reason });
    if (answer.ok) onClose();
  }
  return (
    <Dialog
      isOpen
      title={text.likeTitle}
      onClose={onClose}
      initialFocus={safe}
      actions={
        <>
          <Button ref={safe} onClick={onClose}>
            {text.likeNot}
          </Button>
          <Button
            variant="primary"
            isDisabled={give.isBusy}
            disabledReason={isChosen ? '' : text.likeChoose}
            onClick={() => void go()}
          >
            {text.likeGo}
          </Button>
        </>
      }
    >
      <p>
        <VisibleText text={text.likeLead(view.run.agentName, view.deviceName)} />
      </p>
      <RadioGroup
        label={text.likeScope}
        value={scope}
        items={view.scopes.map((each) => ({
          value: each.scope,
          label: each.label,
          description: <VisibleText text={each.covers} />,
        }))}
        onChange={setScope}
      />
      <RadioGroup
        label={text.likeUntil}
        isInline
        value={ends}
        items={(['hour', 'day', 'week'] as const).map((value) => ({ value, label: text.likeEnds[value] }))}
        onChange={setEnds}
      />
      <p className="t12 ink2">{text.likeEndsWith}</p>
      {give.problem !== null && (
        <Note tone="plain" icon="warn" role="alert" title={give.problem.message}>
          {give.problem.wayOut}
        </Note>
      )}
    </Dialog>
  );
}
