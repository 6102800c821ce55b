import { Fragment, useEffect, useId, useRef, useState } from 'react';
import type { RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { Button } from '../../../ui/button.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { AnswerWords } from './recovery-words.ts';
import { text } from './strings.ts';
import type { Decision } from './use-decision.ts';

/** An optional reason, and the numbers for experts behind a disclosure. */
export function ReasonAndNumbers(props: {
  readonly view: RecoveryView;
  readonly reason: string;
  readonly onReason: ((reason: string) => void) | null;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const { onReason } = props;
  return (
    <>
      <div className="rc-more">
        {onReason !== null && (
          <input
            className="nq-input"
            aria-label={text.reason}
            placeholder={text.reason}
            maxLength={1_000}
            value={props.reason}
            onChange={(event) => onReason(event.target.value)}
          />
        )}
        <button
          type="button"
          className="btn quiet"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen)}
        >
          <span className="rc-turn">
            <Icon name="cr" size="small" />
          </span>
          {text.numbers}
        </button>
      </div>
      <dl className="facts rc-numbers" id={id} hidden={!isOpen}>
        {props.view.numbers.map((number) => (
          <Fragment key={number.name}>
            <dt>{number.name}</dt>
            <dd>{number.value}</dd>
          </Fragment>
        ))}
      </dl>
    </>
  );
}

/** Decide later beside the one button that does something; while counting down, only Cancel. */
export function RecoveryFooter(props: {
  readonly decision: Decision;
  readonly chosen: AnswerWords | null;
  readonly deviceName: string;
  readonly onClose: () => void;
}) {
  const { decision, chosen } = props;
  const primary = useRef<HTMLButtonElement>(null);
  const isCounting = decision.secondsLeft !== null;
  const wasCounting = useRef(false);
  // Cancel is gone from under the focus: it goes back to the button that began the countdown.
  useEffect(() => {
    if (wasCounting.current && !isCounting) primary.current?.focus();
    wasCounting.current = isCounting;
  }, [isCounting]);
  if (decision.secondsLeft !== null) {
    return <Countdown secondsLeft={decision.secondsLeft} label={chosen?.button ?? ''} onCancel={decision.cancel} />;
  }
  const idle = chosen === null ? text.chooseFirst(props.deviceName) : text.recordedAs(props.deviceName);
  return (
    <footer className="nq-acts">
      <output className="t12 ink2 grow">{decision.said === '' ? idle : decision.said}</output>
      <Button onClick={props.onClose}>{text.decideLater}</Button>
      <Button
        ref={primary}
        variant="primary"
        isDisabled={decision.isBusy}
        disabledReason={chosen === null ? text.chooseFirstShort : ''}
        onClick={decision.go}
      >
        {decision.isBusy ? text.deciding : (chosen?.button ?? text.doIt)}
      </Button>
    </footer>
  );
}

function Countdown(props: { readonly secondsLeft: number; readonly label: string; readonly onCancel: () => void }) {
  const bar = useRef<HTMLElement>(null);
  const { onCancel } = props;
  useEffect(() => {
    bar.current?.querySelector('button')?.focus();
  }, []);
  useEffect(() => {
    // Captured, so that Escape here calls the send off and does not also close the panel.
    function onKey(event: KeyboardEvent): void {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      event.stopPropagation();
      onCancel();
    }
    window.addEventListener('keydown', onKey, true);
    return () => window.removeEventListener('keydown', onKey, true);
  }, [onCancel]);
  return (
    <footer className="nq-acts" ref={bar}>
      <div className="rc-count">
        <span className="bar" aria-hidden="true">
          <i />
        </span>
        <p className="t12">
          <b className="strong" role="timer" aria-live="off">
            {text.countdown(props.secondsLeft)}
          </b>
          {': '}
          {props.label} <span className="ink3">{text.countdownHint}</span>
        </p>
      </div>
      <Button onClick={onCancel}>{text.cancel}</Button>
    </footer>
  );
}
