import type { Page } from '@playwright/test';

/**
 * What is selected and has the edges of what is not; and marks inside of shapes that have the colour of the shape. For forced
 * colours, where soft grounds and shadows are gone.
 */
export function signsOfSelection(page: Page): Promise<{ readonly unsigned: string[]; readonly unseen: string[] }> {
  return page.evaluate(() => {
    const SELECTED =
      '[aria-current]:not([aria-current="false"]), [aria-selected="true"], [aria-pressed="true"], [data-checked], .chip.on';
    const isShown = (element: Element): boolean => element.checkVisibility() && element.getClientRects().length > 0;
    const nameOf = (element: Element): string =>
      `${element.tagName}.${element.getAttribute('class') ?? ''} "${(element.textContent ?? '').slice(0, 30)}"`;
    const edgesOf = (element: Element): string => {
      const style = getComputedStyle(element);
      const edge = (side: 'Top' | 'Right' | 'Bottom' | 'Left'): string =>
        style[`border${side}Style`] === 'none' ? '' : `${style[`border${side}Width`]} ${style[`border${side}Color`]}`;
      const outline = style.outlineStyle === 'none' ? '' : `${style.outlineWidth} ${style.outlineColor}`;
      const sides = (['Top', 'Right', 'Bottom', 'Left'] as const).map((side) => edge(side));
      return [outline, ...sides].join('|');
    };
    /** A thing and its row, since either can show it. */
    const looksOf = (element: Element): string =>
      [
        element,
        element.closest('li, [role="row"]') ?? element,
        ...element.querySelectorAll('.switch-thumb, .radio-dot, .runs-box, svg'),
      ]
        .map((each) => edgesOf(each))
        .join(' ');
    /** One of the same kind that is not selected, near by. */
    const otherOf = (element: Element): Element | undefined => {
      const first = (element.getAttribute('class') ?? '').split(' ')[0] ?? '';
      for (
        let around = element.parentElement, steps = 0;
        around !== null && steps < 5;
        around = around.parentElement, steps++
      ) {
        const others = [...around.querySelectorAll(element.tagName)].filter(
          (other) =>
            other !== element &&
            other.classList.contains(first) === element.classList.contains(first) &&
            other.getAttribute('role') === element.getAttribute('role') &&
            !other.matches(SELECTED) &&
            !other.matches('[disabled], [aria-disabled="true"]') &&
            isShown(other),
        );
        if (others[0] !== undefined) return others[0];
      }
      return undefined;
    };
    const unsigned = [...document.querySelectorAll(SELECTED)]
      // The end of a path of links is told from them by being none.
      .filter((element) => isShown(element) && element.matches('a, button, li, label, [role], [tabindex]'))
      .filter((element) => {
        const other = otherOf(element);
        return other !== undefined && looksOf(other) === looksOf(element);
      })
      .map((element) => nameOf(element));
    const unseen = [...document.querySelectorAll('.glyph-stroke, .glyph-fill')]
      .filter((mark) => {
        const style = getComputedStyle(mark);
        const shape = getComputedStyle(mark.closest('svg') ?? mark).color;
        return (mark.classList.contains('glyph-fill') ? style.fill : style.stroke) === shape;
      })
      .map((mark) => nameOf(mark.closest('svg') ?? mark));
    return { unsigned, unseen };
  });
}
