import type { Problem } from '../../shared/contract/errors.ts';

/** Where the page's style is served: the content security policy allows none inside of it. */
export const PROBLEM_STYLE_PATH = '/problem.css';

/** The style of the pages that are shown without a host. Colours and measures are those of the window. */
export const PROBLEM_STYLE = `:root { color-scheme: light dark; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; font: 13px/20px system-ui, sans-serif;
  color: light-dark(#1b1d21, #e6e7ea); background: light-dark(#ffffff, #17181b); }
main { max-width: 52ch; padding: 24px; overflow-wrap: anywhere; }
h1 { font-size: 18px; line-height: 24px; margin: 0 0 12px; }
p { margin: 0 0 12px; }
code { font-family: ui-monospace, monospace; font-size: 12px; }
button { font: inherit; height: 28px; padding: 0 12px; }
`;

/** A page without a script that says what keeps the host from starting. It works when nothing else does. */
export function problemPage(problem: Problem): string {
  const wayOut = problem.wayOut === '' ? '' : `<p>${escapeHtml(problem.wayOut)}</p>`;
  return plainPage(
    'Fencepost can’t start',
    `<p role="alert">${escapeHtml(problem.message)}</p>${wayOut}<p><code>${escapeHtml(problem.code)}</code></p>`,
  );
}

/** A static page; `body` is HTML that the caller has made safe. */
export function plainPage(title: string, body: string, script?: string): string {
  const tag = script === undefined ? '' : `<script src="${escapeHtml(script)}" defer></script>`;
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${escapeHtml(title)}</title><link rel="stylesheet" href="${PROBLEM_STYLE_PATH}">${tag}</head>` +
    `<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body></html>`
  );
}

/** A text as HTML shows it, whatever is in it. */
export function escapeHtml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/gu, (character) => entities[character] ?? character);
}
