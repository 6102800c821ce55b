import { VisibleText } from '../../ui/visible-text.tsx';
import { pairText } from './strings.ts';

/** The words that both screens show, large and numbered, so that two people can read them to each other. */
export function SixWords({ words }: { readonly words: readonly string[] }) {
  return (
    <ol className="dv-words" aria-label={pairText.words}>
      {words.map((word, index) => (
        <li key={`${index} ${word}`}>
          <VisibleText text={word} />
        </li>
      ))}
    </ol>
  );
}

/** What pairing shares, and what not; said before anything is done. */
export function Shared() {
  return (
    <div className="dv-shared t12">
      <b className="strong ink">{pairText.sharedTitle}</b>
      <p>{pairText.shared}</p>
      <p>{pairText.notShared}</p>
    </div>
  );
}
