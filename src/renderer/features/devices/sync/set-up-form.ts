import type { RelayChoice } from '../../../../shared/contract/sync-requests.ts';
import { setUpText as text } from './strings.ts';

export type RelayKind = RelayChoice['kind'];

export const RELAY_KINDS: readonly RelayKind[] = ['folder', 'hub', 'this-hub', 'postgres'];

/** Setting up as it is typed: everything is text until it is sent, and nothing is chosen beforehand. */
export interface SetUpForm {
  readonly way: 'begin' | 'join' | null;
  readonly kind: RelayKind | null;
  readonly folder: string;
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
  readonly password: string;
  readonly tls: 'verify' | 'off';
  readonly authorityPem: string;
  readonly words: string;
}

export type SetUpField = keyof typeof text.fields;

export const EMPTY_FORM: SetUpForm = {
  way: null,
  kind: null,
  folder: '',
  host: '',
  port: '5432',
  database: '',
  user: '',
  password: '',
  tls: 'verify',
  authorityPem: '',
  words: '',
};

const LAST_PORT = 65_535;

/** What is wrong or missing, by field. The host looks again; this only saves a way there and back. */
export function mistakesOf(form: SetUpForm): Partial<Record<SetUpField, string>> {
  const needed: readonly SetUpField[] = [
    ...(form.kind === 'folder' ? (['folder'] as const) : []),
    ...(form.kind === 'postgres' ? (['host', 'database', 'user'] as const) : []),
    ...(form.way === 'join' ? (['words'] as const) : []),
  ];
  const mistakes: Partial<Record<SetUpField, string>> = {};
  for (const field of needed) if (form[field].trim() === '') mistakes[field] = text.missing;
  if (form.kind === 'postgres' && portOf(form.port) === null) mistakes.port = text.notPort;
  return mistakes;
}

/** What is to be chosen before anything can be sent; empty if all is. */
export function missingChoice(form: SetUpForm): string {
  if (form.way === null) return text.chooseWay;
  return form.kind === null ? text.chooseRelay : '';
}

/** What is sent besides the words; `null` while something is wrong or nothing is chosen. */
export function requestOf(form: SetUpForm): {
  readonly relay: RelayChoice;
  readonly secrets: { readonly password: string; readonly privateKeyPem: string };
} | null {
  if (missingChoice(form) !== '' || form.kind === null || Object.keys(mistakesOf(form)).length > 0) return null;
  const password = form.kind === 'postgres' ? form.password : '';
  const relay = relayOf(form, form.kind);
  return relay === null ? null : { relay, secrets: { password, privateKeyPem: '' } };
}

function relayOf(form: SetUpForm, kind: RelayKind): RelayChoice | null {
  switch (kind) {
    case 'folder':
      return { kind, folder: form.folder.trim() };
    case 'hub':
    case 'this-hub':
      return { kind };
    case 'postgres': {
      const port = portOf(form.port);
      if (port === null) return null;
      const where = { host: form.host.trim(), port, database: form.database.trim(), user: form.user.trim() };
      return { kind, ...where, tls: form.tls, authorityPem: form.authorityPem.trim() };
    }
    default:
      return kind satisfies never;
  }
}

function portOf(typed: string): number | null {
  const port = Number(typed);
  return /^\d{1,5}$/u.test(typed.trim()) && port >= 1 && port <= LAST_PORT ? port : null;
}
