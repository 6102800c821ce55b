import { visibleParts } from '../../shared/lib/visible-text.ts';

/** Untrusted text as text, never as markup; characters that would hide are written out and flagged. */
export function VisibleText({ text }: { readonly text: string }) {
  const parts = visibleParts(text);
  if (parts.every((part) => !part.escaped)) return text;
  return parts.map((part, index) =>
    part.escaped ? (
      // Parts have no identity of their own and never move.
      // oxlint-disable-next-line react/no-array-index-key
      <span key={index} className="esc" title="A hidden character, written out">
        {part.text}
      </span>
    ) : (
      part.text
    ),
  );
}
