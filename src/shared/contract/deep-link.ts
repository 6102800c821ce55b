import { identifierProblem } from './identifiers.ts';
import { NO_LINK_PATH, PLACES } from './places.ts';

/** The scheme of links into the window, from a message, a note or another program. */
export const LINK_SCHEME = 'fencepost';
/** A longer link is not one of ours. */
const LINK_MAX_LENGTH = 2_000;

/**
 * The place in the window that a link opens. A link opens and never acts: it carries the name of what to look at and
 * nothing else, and whatever is not such a name leads to a sentence about it.
 */
export function placeOfLink(link: string): string {
  return readLink(link) ?? NO_LINK_PATH;
}

/** The first argument that is a link, as the system hands it to a program that it starts; `null` for none. */
export function linkAmong(args: readonly string[]): string | null {
  return args.find((each) => each.toLowerCase().startsWith(`${LINK_SCHEME}:`)) ?? null;
}

/** The link to a run, to be kept or sent. */
export function linkToRun(runId: string): string {
  return `${LINK_SCHEME}://run/${encodeURIComponent(runId)}`;
}

function readLink(link: string): string | null {
  if (link.length > LINK_MAX_LENGTH || !URL.canParse(link)) return null;
  const url = new URL(link);
  if (url.protocol !== `${LINK_SCHEME}:` || url.username !== '' || url.password !== '' || url.port !== '') return null;
  // A link to pair with carries a secret. It is pasted where its words are compared, and never taken from here.
  if (url.host === 'pair') return '/devices';
  if (url.search !== '' || url.hash !== '') return null;
  const ids = url.pathname.split('/').filter((part) => part !== '');
  const names = ids.map(decoded);
  if (names.some((name) => name === null || identifierProblem(name) !== null)) return null;
  return placeFor(url.host, names as string[]);
}

function placeFor(what: string, names: readonly string[]): string | null {
  const [first, second, third] = names.map((name) => encodeURIComponent(name));
  const place = PLACES.find(({ path }) => path === `/${what}`);
  if (first === undefined) return place?.path ?? null;
  if (what === 'agent' && second === undefined) return `/agents/${first}`;
  if (what === 'unclear' && second === undefined) return `/needs/unclear/${first}`;
  if (what === 'question' && second === undefined) return `/needs/approve/${first}`;
  if (what !== 'run') return null;
  if (second === undefined) return `/runs/${first}`;
  // An entry of the run's record, by its number.
  const isEntry = second === 'event' && third !== undefined && /^\d{1,15}$/u.test(third) && names.length === 3;
  return isEntry ? `/runs/${first}/timeline/${third}` : null;
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
