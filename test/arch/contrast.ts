/** Whether the window is light or dark, and whether more contrast is asked for. */
export interface Look {
  readonly theme: 'light' | 'dark';
  readonly contrast: 'usual' | 'high';
}

export const LOOKS: readonly Look[] = (['light', 'dark'] as const).flatMap((theme) =>
  (['usual', 'high'] as const).map((contrast) => ({ theme, contrast })),
);

/** The colours of the tokens in one look, as six hexadecimal digits; what is not a colour is left out. */
export function coloursOf(css: string, { theme, contrast }: Look): ReadonlyMap<string, string> {
  const usual = blockOf(css, ':root');
  const declared = new Map([...usual, ...(contrast === 'high' ? blockOf(css, `[data-contrast='high']`) : [])]);
  const valueOf = (name: string): string => {
    const value = declared.get(name) ?? '';
    const other = /^var\((--[\w-]+)\)$/u.exec(value)?.[1];
    if (other !== undefined) return valueOf(other);
    const [, light, dark] = /^light-dark\(([^,]+), ([^,]+)\)$/u.exec(value) ?? [];
    return light === undefined || dark === undefined ? value : theme === 'light' ? light : dark;
  };
  const colours = [...declared.keys()].map((name) => [name, valueOf(name)] as const);
  return new Map(colours.filter(([, value]) => /^#[0-9a-f]{6}$/u.test(value)));
}

/** The declarations of the first block with this selector. */
export function blockOf(css: string, selector: string): ReadonlyMap<string, string> {
  const plain = css.replaceAll(/\/\*[^]*?\*\//gu, '');
  const start = plain.indexOf(`${selector} {`);
  if (start < 0) throw new Error(`There is no block ${selector}.`);
  const body = plain.slice(plain.indexOf('{', start) + 1, plain.indexOf('}', start));
  const lines = body.split(';').flatMap((line) => {
    const [, name, value] = /^\s*(--[\w-]+):\s*([^]+?)\s*$/u.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
  return new Map(lines);
}

/** The contrast of two colours, from 1 to 21, as WCAG 2 counts it. */
export function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((left, right) => right - left);
  return (light + 0.05) / (dark + 0.05);
}

function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
