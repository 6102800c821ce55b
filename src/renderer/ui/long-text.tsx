import { useMemo } from 'react';
import type { RefObject } from 'react';
import { text as strings } from './strings.ts';
import { lineCount, PART_LENGTH, textParts } from './text-parts.ts';
import { useNearRows } from './use-near-rows.ts';
import { VisibleText } from './visible-text.tsx';

const LINE_PX = 18;
/** Of a character of the 12 px font of payloads, and of both edges. */
const CHARACTER_PX = 7.2;
const EDGES_PX = 24;
const COLUMNS_MIN = 16;
/** Until the width is known. */
const COLUMNS = 110;

/** Untrusted text of any length inside something that scrolls: of a long one only what is near the eye exists. */
export function LongText(props: { readonly text: string; readonly scroller: RefObject<HTMLElement | null> }) {
  if (props.text.length <= 2 * PART_LENGTH) return <VisibleText text={props.text} />;
  return <TextInParts {...props} />;
}

function TextInParts({ text, scroller }: { readonly text: string; readonly scroller: RefObject<HTMLElement | null> }) {
  const parts = useMemo(() => textParts(text), [text]);
  const near = useNearRows({
    count: parts.length,
    scroller,
    heightPx: (index) => LINE_PX * lineCount(parts[index] ?? { text: '', goesOn: false }, columnsOf(scroller.current)),
    allUpTo: 0,
    overscan: 1,
  });
  return (
    <span className="text-part" style={near.room}>
      {near.indexes.map((index) => (
        <span key={index} ref={near.measure} data-index={index} className="text-part">
          <VisibleText text={parts[index]?.text ?? ''} />
          {parts[index]?.goesOn === true && (
            <i className="text-on" title={strings.lineGoesOn}>
              {strings.goesOn}
            </i>
          )}
        </span>
      ))}
    </span>
  );
}

function columnsOf(element: HTMLElement | null): number {
  if (element === null || element.clientWidth === 0) return COLUMNS;
  return Math.max(COLUMNS_MIN, Math.floor((element.clientWidth - EDGES_PX) / CHARACTER_PX));
}
