import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect } from 'react';
import type { CSSProperties, RefObject } from 'react';

/** Up to so many rows all of them exist: nothing is gained by leaving any out, and the browser can search them. */
const ALL_UP_TO = 200;
const OVERSCAN = 12;

/** The rows near the eye, and the room that the others take. */
export interface NearRows {
  /** Places of the rows to draw, in order. */
  readonly indexes: readonly number[];
  /** For what holds the rows: the room that the others take above and below. */
  readonly room: CSSProperties | undefined;
  /** Given as `ref` to each row together with `data-index`: rows may differ in height. */
  readonly measure: (element: Element | null) => void;
  readonly show: (index: number, align?: 'auto' | 'end') => void;
  /** False while all rows exist. */
  readonly isPartial: boolean;
}

/** Of a long list only what is near the eye exists. `heightPx` is a row's usual height; each is measured once it is there. */
export function useNearRows(options: {
  readonly count: number;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly heightPx: (index: number) => number;
  /** Lists up to this length are drawn whole. */
  readonly allUpTo?: number;
  readonly overscan?: number;
}): NearRows {
  const { count, scroller, heightPx, allUpTo = ALL_UP_TO, overscan = OVERSCAN } = options;
  const isPartial = count > allUpTo;
  // Its functions change with every scroll, so the compiler may not remember them; nothing here does.
  // oxlint-disable-next-line react/incompatible-library
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: heightPx,
    overscan,
    enabled: isPartial,
  });
  // The first reckoning was made before there was anything on the screen that had a width.
  useEffect(() => {
    if (isPartial) virtualizer.measure();
  }, [virtualizer, isPartial]);
  if (!isPartial) {
    return {
      indexes: Array.from({ length: count }, (_, index) => index),
      room: undefined,
      measure: () => undefined,
      show: (index) => {
        scroller.current?.querySelector(`[data-index="${index}"]`)?.scrollIntoView({ block: 'nearest' });
      },
      isPartial,
    };
  }
  const items = virtualizer.getVirtualItems();
  return {
    indexes: items.map((item) => item.index),
    room: {
      paddingTop: items[0]?.start ?? 0,
      paddingBottom: virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0),
      // Rows that turn out higher are made up for once, by the virtualizer, not by the browser as well.
      overflowAnchor: 'none',
    },
    measure: virtualizer.measureElement,
    show: (index, align = 'auto') => virtualizer.scrollToIndex(index, { align }),
    isPartial,
  };
}
