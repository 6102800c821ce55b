import { useRef, useState } from 'react';
import type { TextView } from '../../../shared/contract/views.ts';
import { useAction } from '../../state/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { LongText } from '../../ui/long-text.tsx';
import { text } from './strings.ts';

/** A text that went in or came out, exactly as it was kept; untrusted. */
export function Payload({
  label,
  of,
  view,
  nothing,
}: {
  readonly label: string;
  /** What it belongs to, for those who hear the names of all texts on the screen. */
  readonly of: string;
  readonly view: TextView | null;
  readonly nothing: string;
}) {
  const reading = useAction('text.get');
  const [whole, setWhole] = useState<string | null>(null);
  const scroller = useRef<HTMLPreElement>(null);
  if (view === null) return <p className="t12 ink3">{nothing}</p>;
  const { digest } = view;
  const name = `${label}: ${of}`;
  async function readAll(): Promise<void> {
    const answer = await reading.run({ digest });
    if (answer.ok) setWhole(answer.value.text);
  }
  const shown = whole ?? view.text;
  return (
    <section className="payload" aria-label={name}>
      <header>
        <span className="t12 medium">{label}</span>
        <span className="t11 ink3">{text.bytes(view.bytes)}</span>
        <span className="right">
          <CopyButton label={text.copy} content={shown} />
        </span>
      </header>
      {/* It scrolls, so it must be reachable without a mouse. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} aria-label={name} ref={scroller}>
        <LongText text={shown} scroller={scroller} />
      </pre>
      {view.isCut && whole === null && (
        <footer className="flex t12 ink2">
          {reading.problem?.message ?? text.cut}
          <Button size="small" isDisabled={reading.isBusy} onClick={() => void readAll()}>
            {text.showAll}
          </Button>
        </footer>
      )}
      <footer className="t11 ink3 cut">
        {text.fingerprint} <span className="mono">{view.digest}</span>
      </footer>
    </section>
  );
}
