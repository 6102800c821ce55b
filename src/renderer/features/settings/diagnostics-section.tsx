import { useState } from 'react';
import { useAction } from '../../state/use-action.ts';
import { useQuery } from '../../state/use-query.ts';
import { Button } from '../../ui/button.tsx';
import { isLinux } from '../../ui/is-linux.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Note } from '../../ui/note.tsx';
import type { Problem } from '../../../shared/contract/errors.ts';
import { CopyValue } from './copy-value.tsx';
import { diagnosticsText as text } from './diagnostics-strings.ts';
import { Fact, Section } from './section.tsx';

/** What to hand on when something is wrong: a text that is shown before it is copied, and where the logs are. */
export function DiagnosticsSection({ folder }: { readonly folder: string }) {
  const isDesktop = useQuery('overview.get', {}).value?.surface === 'window';
  const canOpen = isDesktop && !isLinux();
  const writing = useAction('diagnostics.get');
  const opening = useAction('diagnostics.openFolder');
  const [written, setWritten] = useState<string | null>(null);
  const [said, setSaid] = useState('');
  async function write(): Promise<void> {
    const answer = await writing.run({});
    if (answer.ok) setWritten(answer.value.text);
  }
  async function open(): Promise<void> {
    setSaid('');
    const answer = await opening.run({});
    if (answer.ok) setSaid(answer.value.sentence);
  }
  return (
    <Section title={text.title} lede={text.lede}>
      <p className="ink2">{text.about}</p>
      <div className="flex wrap">
        <Button isDisabled={writing.isBusy} onClick={() => void write()}>
          {written === null ? text.show : text.renew}
        </Button>
        {written !== null && <CopyButton label={text.copy} content={written} />}
      </div>
      <Problems problem={writing.problem} />
      {written !== null && (
        <div className="payload">
          <textarea className="se-text" readOnly aria-label={text.text} rows={14} value={written} />
        </div>
      )}
      <Fact label={text.logs} help={isDesktop ? text.logsHelp : `${text.logsHelp} ${text.browser}`}>
        <CopyValue value={folder} />
        {canOpen && (
          <span className="flex wrap">
            <Button size="small" isDisabled={opening.isBusy} onClick={() => void open()}>
              {text.open}
            </Button>
            <output className="t12 ink3">{said}</output>
          </span>
        )}
        <Problems problem={opening.problem} />
      </Fact>
    </Section>
  );
}

function Problems({ problem }: { readonly problem: Problem | null }) {
  if (problem === null) return null;
  return (
    <Note tone="bad" role="alert" title={problem.message}>
      {problem.wayOut}
    </Note>
  );
}
