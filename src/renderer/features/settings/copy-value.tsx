import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';

/** A value with a button that copies it. */
export function CopyValue({ value }: { readonly value: string }) {
  const [said, setSaid] = useState('');
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(value);
      setSaid(text.copied);
    } catch {
      setSaid(text.notCopied);
    }
  }
  return (
    <span className="flex wrap">
      <span className="mono se-path">
        <VisibleText text={value} />
      </span>
      <Button variant="quiet" size="small" icon="copy" onClick={() => void copy()}>
        {text.copy}
      </Button>
      <output className="t12 ink3">{said}</output>
    </span>
  );
}
