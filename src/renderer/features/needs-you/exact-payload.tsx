import { useEffect, useRef, useState } from 'react';
import type { TextView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { LongText } from '../../ui/long-text.tsx';
import { payloadText } from './payload-strings.ts';

/** The whole text: what the view holds, or all of it fetched when the view holds only its beginning. */
export function useWholeText(view: TextView): {
  readonly text: string;
  readonly isWhole: boolean;
  readonly problem: string;
} {
  const fetchText = useAction('text.get');
  const [whole, setWhole] = useState<{
    readonly digest: string;
    readonly text: string;
    readonly problem: string;
  } | null>(null);
  const { run } = fetchText;
  useEffect(() => {
    if (!view.isCut) return undefined;
    let isStale = false;
    void run({ digest: view.digest }).then((answer) => {
      if (isStale) return;
      setWhole({
        digest: view.digest,
        text: answer.ok ? answer.value.text : view.text,
        problem: answer.ok ? '' : answer.error.message,
      });
    });
    return () => {
      isStale = true;
    };
  }, [run, view.digest, view.isCut, view.text]);
  if (!view.isCut) return { text: view.text, isWhole: true, problem: '' };
  if (whole?.digest !== view.digest) return { text: view.text, isWhole: false, problem: '' };
  return { text: whole.text, isWhole: whole.problem === '', problem: whole.problem };
}

/** Text exactly as it would leave: nothing is cut, hidden characters show as codes, long text scrolls. */
export function ExactText({ view, label }: { readonly view: TextView; readonly label: string }) {
  const whole = useWholeText(view);
  const scroller = useRef<HTMLPreElement>(null);
  return (
    <>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
      <pre tabIndex={0} aria-label={label} ref={scroller}>
        <LongText text={whole.text} scroller={scroller} />
      </pre>
      {!whole.isWhole && (
        <output className="t12 needs nq-note">
          {whole.problem === '' ? payloadText.reading : payloadText.notWhole(whole.problem)}
        </output>
      )}
    </>
  );
}
