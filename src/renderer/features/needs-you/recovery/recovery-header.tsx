import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { RecoveryView } from '../../../../shared/contract/decision-views.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import type { IconName } from '../../../ui/icon-shapes.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { ExactText } from '../exact-payload.tsx';
import { text } from './strings.ts';

/** The question, what it is about, and the way to see exactly what it is about. */
export function RecoveryHeader(props: {
  readonly view: RecoveryView;
  readonly waiting: string;
  readonly onClose: () => void;
}) {
  const { view } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const [isShowingExactly, setIsShowingExactly] = useState(false);
  // The panel is a dialog beside the queue: opening it brings the reader to its question.
  useEffect(() => heading.current?.focus(), []);
  return (
    <header>
      <div className="rc-title">
        <span className="mark">
          <Icon name="s-unclear" />
        </span>
        <h2 id="recovery-heading" ref={heading} tabIndex={-1}>
          {text.heading}
        </h2>
        <span className="right t12 ink3 nw">
          <Link href={`/runs/${encodeURIComponent(view.run.runId)}`}>
            {text.run(view.run.agentName, String(view.run.number).padStart(4, '0'))}
          </Link>
          {props.waiting !== '' && ` · ${props.waiting}`}
        </span>
        <Button variant="quiet" size="small" icon="x" label={text.close} onClick={props.onClose} />
      </div>
      <div className="rc-what">
        <span className="ink3">
          <Icon name={toolIcon(view.tool)} />
        </span>
        <p className="grow">
          <b className="medium">
            <VisibleText text={view.title} />
          </b>
          {view.target !== '' && (
            <span className="ink2">
              <span className="sep"> · </span>
              <VisibleText text={view.target} />
            </span>
          )}
        </p>
        <Button size="small" icon="eye" onClick={() => setIsShowingExactly(true)}>
          {text.showExactly}
        </Button>
      </div>
      {isShowingExactly && (
        <Dialog
          isOpen
          width="wide"
          title={text.exactlyThis}
          onClose={() => setIsShowingExactly(false)}
          actions={<Button onClick={() => setIsShowingExactly(false)}>{text.closeExactly}</Button>}
        >
          <p className="ink2 rc-why">{text.exactlyWhy}</p>
          <div className="nq-payload">
            <ExactText view={view.input} label={text.exactlyThis} />
          </div>
          <p className="t11 ink3 rc-print">
            {text.fingerprint} <code className="mono">{view.inputDigest}</code>
          </p>
        </Dialog>
      )}
    </header>
  );
}

function toolIcon(tool: string): IconName {
  if (tool.startsWith('shell') || tool.startsWith('script')) return 'terminal';
  if (tool.startsWith('mail')) return 'mail';
  if (tool.startsWith('mcp')) return 'server';
  if (tool.startsWith('model')) return 'model';
  return tool.startsWith('file') ? 'file' : 'globe';
}
