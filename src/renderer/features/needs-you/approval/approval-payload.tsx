import { useId, useState } from 'react';
import type { ApprovalView } from '../../../../shared/contract/decision-views.ts';
import { Button } from '../../../ui/button.tsx';
import { Note } from '../../../ui/note.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { ExactText, useWholeText } from '../exact-payload.tsx';
import { countHidden } from '../hidden-characters.ts';
import { payloadText } from '../payload-strings.ts';
import { text } from './strings.ts';

/** Exactly what would leave: arguments in separate boxes, the input in full, hidden characters flagged. */
export function ApprovalPayload({
  view,
  about = '',
}: {
  readonly view: ApprovalView;
  /** What tells this one from others on the same screen, for those who hear it. */
  readonly about?: string;
}) {
  const whole = useWholeText(view.input);
  const labelId = useId();
  const [isCopied, setIsCopied] = useState(false);
  const hidden = countHidden([whole.text]) + countHidden(view.argv ?? []);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(whole.text);
      setIsCopied(true);
    } catch {
      // Without the right to the clipboard the text can still be selected.
      setIsCopied(false);
    }
  }
  return (
    <section aria-labelledby={labelId}>
      <p className="label ap-label" id={labelId}>
        {text.exactly}
        {about !== '' && <span className="sr-only"> ({about})</span>}
      </p>
      <div className="nq-payload">
        <header>
          {view.argv === null ? (
            <span className="t12 ink2">
              {view.tool}, {payloadText.bytes(view.input.bytes)}
            </span>
          ) : (
            <ol className="ap-argv" aria-label={text.argv}>
              {view.argv.map((argument, index) => (
                // Two arguments may be equal; they never move.
                <li key={index}>
                  <code>
                    {argument === '' ? <span className="ink3">{text.empty}</span> : <VisibleText text={argument} />}
                  </code>
                </li>
              ))}
            </ol>
          )}
          <span className="right">
            <Button variant="quiet" size="small" icon="copy" onClick={() => void copy()}>
              <output>{isCopied ? text.copied : text.copy}</output>
            </Button>
          </span>
        </header>
        <ExactText view={view.input} label={text.payload} />
      </div>
      {hidden > 0 && (
        <div className="ap-gap">
          <Note tone="needs" icon="warn">
            {hidden === 1 ? payloadText.hiddenOne : payloadText.hidden(hidden)} {payloadText.hiddenWhy}
          </Note>
        </div>
      )}
    </section>
  );
}
