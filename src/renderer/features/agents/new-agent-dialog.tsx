import { useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemList, SourceEditor } from './source-editor.tsx';
import { text } from './strings.ts';
import { useSaveAgent } from './use-save-agent.ts';

const FILE_LIMIT_BYTES = 1_048_576;

/** Adds an agent from pasted text or from a file. Adding permits nothing. */
export function NewAgentDialog({ onClose }: { readonly onClose: () => void }) {
  const [fileName, setFileName] = useState<string>(text.defaultFileName);
  const [source, setSource] = useState('');
  const [said, setSaid] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const saving = useSaveAgent();
  const [, navigate] = useLocation();
  const isEmpty = source.trim() === '';
  async function read(file: File): Promise<void> {
    if (file.size > FILE_LIMIT_BYTES) {
      setSaid(text.tooLarge);
      return;
    }
    setSaid('');
    setFileName(file.name);
    setSource(await file.text());
    field.current?.focus();
  }
  async function add(): Promise<void> {
    const agentId = await saving.save(fileName, source);
    if (agentId === null) return;
    onClose();
    navigate(`/agents/${encodeURIComponent(agentId)}`);
  }
  return (
    <Dialog
      isOpen
      width="wide"
      initialFocus={field}
      title={text.newHeading}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{text.dontAdd}</Button>
          <Button
            variant="primary"
            isDisabled={saving.isBusy}
            disabledReason={isEmpty ? text.nothingToAdd : ''}
            onClick={() => void add()}
          >
            {text.add}
          </Button>
        </>
      }
    >
      <div className="ag-form">
        <p className="ink2">{text.newLead}</p>
        <FileLine fileName={fileName} onName={setFileName} onFile={(file) => void read(file)} />
        <div className="ag-new">
          <SourceEditor
            label={text.sourceLabel}
            source={source}
            problems={saving.problems}
            field={field}
            onChange={setSource}
          />
        </div>
        <output className="t12">
          {said}
          {saving.failure}
          {saving.problems.length > 0 && text.problems(saving.problems.length)}
        </output>
        {saving.problems.length > 0 && <ProblemList problems={saving.problems} source={source} field={field} />}
      </div>
    </Dialog>
  );
}

function FileLine(props: {
  readonly fileName: string;
  readonly onName: (fileName: string) => void;
  readonly onFile: (file: File) => void;
}) {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div className="ag-fileline">
      <Button icon="file" onClick={() => picker.current?.click()}>
        {text.pickFile}
      </Button>
      <input
        ref={picker}
        className="ag-file"
        type="file"
        tabIndex={-1}
        aria-label={text.pickFile}
        accept=".json,.yaml,.yml"
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file !== undefined) props.onFile(file);
        }}
      />
      <label className="ag-field grow">
        <input
          aria-label={text.fileName}
          maxLength={255}
          value={props.fileName}
          onChange={(event) => props.onName(event.target.value)}
        />
      </label>
    </div>
  );
}
