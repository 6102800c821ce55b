import { useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { text } from './strings.ts';

const SHOWN_MS = 2_000;

/** Copies a text exactly as it is, and says so. */
export function CopyButton({ label, content }: { readonly label: string; readonly content: string }) {
  const [said, setSaid] = useState('');
  useEffect(() => {
    if (said === '') return undefined;
    const timer = setTimeout(() => setSaid(''), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [said]);
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(content);
      setSaid(text.copied);
    } catch {
      setSaid(text.notCopied);
    }
  }
  return (
    <span className="flex">
      <output className="t11 ink3">{said}</output>
      <Button variant="quiet" size="small" icon="copy" onClick={() => void copy()}>
        {label}
      </Button>
    </span>
  );
}
