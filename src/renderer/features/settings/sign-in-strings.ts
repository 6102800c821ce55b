import { inWords } from './secret-strings.ts';

/** The words about signing in at tool servers. */
export const signInText = {
  title: 'Signing in at tool servers',
  lede: 'For servers that ask who you are. Signing in allows no agent anything: what it may do there is what you permitted.',
  list: 'Tool servers to sign in at',
  again: 'Read them again',
  usedBy: (agents: readonly string[]) =>
    agents.length === 0 ? 'No agent names it any more' : `Named by ${inWords(agents)}`,
  standing: {
    'signed-in': 'Signed in',
    lapsed: 'The sign-in has run out',
    asks: 'Asks for a sign-in',
    unasked: 'Has not asked for a sign-in',
  },
  since: 'since',
  signIn: 'Sign in…',
  signInNamed: (address: string) => `Sign in at ${address}`,
  signOut: 'Sign out…',
  signOutNamed: (address: string) => `Sign out of ${address}`,
  inHeading: (host: string) => `Sign in at ${host}?`,
  inMore:
    'Your browser shows a page of the server, or of the one that it trusts. You say there who you are, and agree or not.',
  inKept: 'What this device is given for it is kept with its secrets, and goes to this server alone:',
  inGrants: 'No agent may do more than before.',
  inGo: 'Go to the page',
  inAgain: 'Try again',
  cancel: 'Cancel',
  looking: 'Looking for the page…',
  waiting: 'Fencepost waits for your answer in the browser, for five minutes at most.',
  opened: (host: string) => `The page of ${host} is open in your browser.`,
  open: (host: string) => `Open the page of ${host}`,
  stop: 'Stop waiting',
  done: (host: string) => `Signed in at ${host}.`,
  outHeading: (host: string) => `Sign out of ${host}?`,
  outMore: 'What this device was given is forgotten here, and the server is told where it offers that.',
  outUse: (agents: readonly string[]) =>
    agents.length === 0
      ? 'No agent names this server.'
      : `Calls of ${inWords(agents)} are refused there from then on. They count as not sent.`,
  outGo: 'Sign out',
  stay: 'Stay signed in',
} as const;
