import type { Answer, Route } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import type { SignInFacts, SignIns } from '../tools/mcp/sign-in/sign-ins.ts';
import type { HostInfo } from '../views/overview.ts';
import { signInsView, signInUsers } from '../views/sign-ins.ts';
import { viewSource } from '../views/view-source.ts';
import { NO_STORE, read, tell } from './answers.ts';
import type { Handlers } from './application.ts';

const NO_SIGN_INS = problem('not-offered', 'This host signs in nowhere.', 'Nothing was sent.');
const UNREADABLE = problem(
  'store-unsure',
  'The sign-ins of this device cannot be read. Calls that need one fail before anything is sent.',
  'Unlock the keychain of this device, or look at sign-ins.json in the data folder, and try again.',
);

/** Signing in at tool servers: a press of a person begins it, and no token ever comes here. */
export function signInHandlers(
  control: HostControl,
  info: HostInfo,
): Pick<Handlers, Extract<Route, `signIns.${string}`>> {
  const { signIns } = control;
  return {
    'signIns.list': () => list(control),
    'signIns.begin': async ({ address }) => {
      if (signIns === null) return err(NO_SIGN_INS);
      const source = viewSource(control);
      if (source === null) return err(NO_STORE);
      // The page names only what an agent's file names, so it cannot make this device call anything else.
      if (!signInUsers(source).has(address)) return err(problem('not-found', 'No agent names this tool server now.'));
      return await begin(signIns, address, info);
    },
    'signIns.cancel': async ({ address }) => {
      signIns?.cancel(address);
      return await Promise.resolve(ok({ sentence: 'Called off. Nothing was kept.' }));
    },
    'signIns.end': async ({ address }) =>
      signIns === null ? err(NO_SIGN_INS) : await tell(signIns.signOut(address), (sentence) => sentence),
  };
}

async function begin(signIns: SignIns, address: string, info: HostInfo): Promise<Answer<'signIns.begin'>> {
  const begun = await signIns.begin(address);
  if (!begun.ok) return begun;
  const { page, attempt } = begun.value;
  const desktop = info.desktop ?? null;
  if (desktop === null) return ok({ attempt, host: page.host, page: page.href });
  const opened = await desktop.openLink(page.href);
  if (opened.ok) return ok({ attempt, host: page.host, page: null });
  signIns.cancel(address);
  return opened;
}

async function list(control: HostControl): Promise<Answer<'signIns.list'>> {
  const { signIns } = control;
  const source = viewSource(control);
  if (source === null) return err(NO_STORE);
  if (signIns === null) return await read(control, (now) => signInsView(now, new Map()));
  const facts = new Map<string, SignInFacts>();
  try {
    const addresses = new Set([...signInUsers(source).keys(), ...(await signIns.kept.addresses())]);
    for (const address of addresses) facts.set(address, await signIns.facts(address));
  } catch {
    return err(UNREADABLE);
  }
  return await read(control, (now) => signInsView(now, facts));
}
