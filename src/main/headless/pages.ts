import { plainPage } from '../bridge/problem-page.ts';

/** Signs the browser in. The token is behind the `#`, so that no request, log or referrer ever holds it. */
export const START_PAGE = plainPage('Fencepost', '<p id="state" role="status">Signing in…</p>', '/start.js');

/** Posts the token once, takes it out of the address and the history, and opens the window. */
export const START_SCRIPT = `'use strict';
const token = location.hash.slice(1);
history.replaceState(null, '', '/start');
const say = (text) => { document.getElementById('state').textContent = text; };
const used = 'This link was used already or is too old. Ask for a new one in the terminal: npm start -- --new-link';
fetch('/session', { method: 'POST', body: token, headers: { 'content-type': 'text/plain' }, credentials: 'same-origin' })
  .then((answer) => { if (answer.ok) location.replace('/'); else say(used); })
  .catch(() => say('Fencepost does not answer. Start it again, then use the link that it prints.'));
`;

/** What a browser without a session sees instead of the window. */
export const SIGNED_OUT_PAGE = plainPage(
  'Not signed in',
  '<p>This browser is not signed in to Fencepost.</p>' +
    '<p>Use the link that Fencepost printed when it started. It works once; for another one, run:</p>' +
    '<p><code>npm start -- --new-link</code></p>',
);
