import type { ExportView } from '../../../shared/contract/activity-views.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Note } from '../../ui/note.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { sizeText, verifyCommand } from './activity-model.ts';
import { exportText as text } from './strings.ts';

/** How far an export is. */
export function ExportProgress({ view }: { readonly view: ExportView }) {
  const { entries, total, state } = view;
  const words = state === 'waiting' ? text.begun : text.writing(figure(entries), figure(total));
  return (
    <div className="ac-progress">
      <p className="num">{words}</p>
      <progress aria-label={text.progress} value={entries} max={Math.max(1, total)} />
      <p className="t12 ink3">
        <VisibleText text={view.place === '' ? view.fileName : view.place} />
      </p>
    </div>
  );
}

/** How an export ended, and what to do with the file. */
export function ExportEnded({ view }: { readonly view: ExportView }) {
  if (view.state === 'failed') {
    return (
      <Note tone="bad" icon="warn" role="alert" title={view.problem?.message ?? ''}>
        {view.problem?.wayOut}
      </Note>
    );
  }
  if (view.state === 'cancelled') {
    return (
      <output>
        <Note tone="plain" title={text.cancelledTitle}>
          {text.cancelled}
        </Note>
      </output>
    );
  }
  return (
    <>
      <output className="ac-done">
        <span className="st ok">
          <Icon name="s-done" />
        </span>
        <div className="grow">
          <b className="strong">{text.doneTitle}</b> {text.done(figure(view.entries), sizeText(view.bytes))}{' '}
          {view.isSigned && text.signed}
          <p className="t12 ink2">
            {view.place === '' ? text.downloaded : text.savedAs}{' '}
            <span className="mono ac-path">
              <VisibleText text={view.place === '' ? view.fileName : view.place} />
            </span>
          </p>
        </div>
      </output>
      {!view.isSigned && (
        <Note tone="plain" icon="warn" title={text.unsignedTitle}>
          {text.unsigned}
        </Note>
      )}
      <HowToCheck view={view} />
    </>
  );
}

function HowToCheck({ view }: { readonly view: ExportView }) {
  const command = verifyCommand(view);
  return (
    <section className="ac-check" aria-label={text.checkTitle}>
      <div className="flex">
        <h3 className="label">{text.checkTitle}</h3>
        <span className="right">
          <CopyButton label={text.copyCommand} content={command} />
        </span>
      </div>
      <p className="t12 ink2">{text.check}</p>
      <pre className="code">
        <VisibleText text={command} />
      </pre>
      {view.isSigned && <p className="t12 ink3">{text.checkMore}</p>}
    </section>
  );
}

function figure(value: number): string {
  return value.toLocaleString('en');
}
