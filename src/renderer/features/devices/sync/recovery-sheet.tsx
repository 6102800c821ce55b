import { createPortal } from 'react-dom';
import { sheetText as text } from './strings.ts';

/**
 * The sheet as it is printed: the only thing on paper, and nothing on the screen. It is made of elements, since the window's
 * policy lets no text become a page.
 */
export function RecoverySheet({ words, spaceName }: { readonly words: readonly string[]; readonly spaceName: string }) {
  return createPortal(
    <div className="sy-sheet">
      <h1>{text.title}</h1>
      <p>{text.belongs(spaceName)}</p>
      <ol>
        {words.map((word, index) => (
          // A word may come twice; its place is its name.
          <li key={index}>
            {index + 1}. {word}
          </li>
        ))}
      </ol>
      {text.facts.map((fact) => (
        <p key={fact}>{fact}</p>
      ))}
      <p>{text.copy}</p>
    </div>,
    document.body,
  );
}
