import { markedParts } from '../../shared/lib/search-text.ts';
import type { TextRange } from '../../shared/lib/search-text.ts';
import { VisibleText } from './visible-text.tsx';

/** Untrusted text with what was found in it marked: as text, never as markup, and with a direction of its own. */
export function FoundText({ text, ranges }: { readonly text: string; readonly ranges: readonly TextRange[] }) {
  return (
    <bdi>
      {markedParts(text, ranges).map((part, index) =>
        part.isFound ? (
          <mark key={index} className="found">
            <VisibleText text={part.text} />
          </mark>
        ) : (
          <VisibleText key={index} text={part.text} />
        ),
      )}
    </bdi>
  );
}
