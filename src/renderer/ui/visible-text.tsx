import { visibleParts } from '../../shared/lib/visible-text.ts';
import { text as strings } from './strings.ts';

/** Untrusted text as text, never as markup; characters that would hide are written out and flagged. */
export function VisibleText({ text }: { readonly text: string }) {
  const parts = visibleParts(text);
  if (parts.every((part) => !part.escaped)) return text;
  return parts.map((part, index) =>
    part.escaped ? (
      <span key={index} className="esc" title={strings.hiddenCharacter}>
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}
