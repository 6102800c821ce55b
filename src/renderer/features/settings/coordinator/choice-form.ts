import type { CoordinatorChoice } from '../../../../shared/contract/coordinator-requests.ts';
import type { CoordinatorView } from '../../../../shared/contract/coordinator-views.ts';
import { choiceText as text } from './strings.ts';

export type ChoiceKind = CoordinatorChoice['kind'];

export const CHOICE_KINDS: readonly ChoiceKind[] = ['embedded', 'this-hub', 'hub', 'postgres', 'etcd'];

/** A choice as it is typed: everything is text until it is sent. */
export interface ChoiceForm {
  readonly kind: ChoiceKind | null;
  readonly host: string;
  readonly port: string;
  readonly database: string;
  readonly user: string;
  readonly tls: 'verify' | 'off';
  /** One address to a line. */
  readonly endpoints: string;
  readonly prefix: string;
  readonly authorityPem: string;
  readonly certificatePem: string;
  readonly password: string;
  readonly privateKeyPem: string;
}

export type ChoiceField = Exclude<keyof ChoiceForm, 'kind'>;

const EMPTY: ChoiceForm = {
  kind: null,
  host: '',
  port: '5432',
  database: '',
  user: '',
  tls: 'verify',
  endpoints: '',
  prefix: 'fencepost/v1/',
  authorityPem: '',
  certificatePem: '',
  password: '',
  privateKeyPem: '',
};

/** The form as it opens: filled with what is used now, and nothing chosen unless a link asked for it. */
export function formOf(used: CoordinatorChoice, asked: string): ChoiceForm {
  const kind = CHOICE_KINDS.find((each) => each === asked) ?? null;
  if (used.kind === 'postgres') {
    const { host, port, database, user, tls, authorityPem } = used;
    return { ...EMPTY, kind, host, port: String(port), database, user, tls, authorityPem };
  }
  if (used.kind === 'etcd') {
    const { user, prefix, authorityPem, certificatePem } = used;
    return { ...EMPTY, kind, user, prefix, authorityPem, certificatePem, endpoints: used.endpoints.join('\n') };
  }
  return { ...EMPTY, kind };
}

/** Whether a kind has anything to fill in. */
export function hasFields(kind: ChoiceKind | null): boolean {
  return kind === 'postgres' || kind === 'etcd';
}

/** What is wrong or missing, by field. The host looks again; this only saves a way there and back. */
export function mistakesOf(form: ChoiceForm): Partial<Record<ChoiceField, string>> {
  const mistakes: Partial<Record<ChoiceField, string>> = {};
  if (form.kind === 'postgres') {
    for (const field of ['host', 'database', 'user'] as const) {
      if (form[field].trim() === '') mistakes[field] = text.missing;
    }
    if (portOf(form.port) === null) mistakes.port = text.notPort;
  }
  if (form.kind === 'etcd') {
    const endpoints = endpointsOf(form.endpoints);
    if (endpoints.length === 0) mistakes.endpoints = text.missing;
    else if (endpoints.length > 9) mistakes.endpoints = text.tooMany;
    else if (!endpoints.every(isAddress)) mistakes.endpoints = text.notAddress;
    if (form.prefix.trim() === '') mistakes.prefix = text.missing;
  }
  return mistakes;
}

/** What is sent; `null` while something is wrong or nothing is chosen. */
export function requestOf(form: ChoiceForm): {
  readonly choice: CoordinatorChoice;
  readonly secrets: { readonly password: string; readonly privateKeyPem: string };
} | null {
  const port = portOf(form.port);
  if (form.kind === null || Object.keys(mistakesOf(form)).length > 0) return null;
  const user = form.user.trim();
  const authorityPem = form.authorityPem.trim();
  const { password } = form;
  switch (form.kind) {
    case 'embedded':
    case 'this-hub':
    case 'hub':
      return { choice: { kind: form.kind }, secrets: { password: '', privateKeyPem: '' } };
    case 'postgres': {
      if (port === null) return null;
      const { tls } = form;
      const where = { host: form.host.trim(), port, database: form.database.trim() };
      return {
        choice: { kind: 'postgres', ...where, user, tls, authorityPem },
        secrets: { password, privateKeyPem: '' },
      };
    }
    case 'etcd': {
      const certificatePem = form.certificatePem.trim();
      return {
        choice: {
          kind: 'etcd',
          endpoints: endpointsOf(form.endpoints),
          user,
          prefix: form.prefix.trim(),
          authorityPem,
          certificatePem,
        },
        secrets: { password, privateKeyPem: form.privateKeyPem.trim() },
      };
    }
    default:
      return form.kind satisfies never;
  }
}

/** Why a place cannot be chosen now; empty if it can. */
export function whyNot(kind: ChoiceKind, view: CoordinatorView): string {
  if (kind === 'this-hub' && !view.hub.isRunning) return text.hubIsOff;
  if (kind === 'hub' && view.pairedHub === null) return text.notPaired;
  if (kind === view.choice.kind && !hasFields(kind)) return text.isUsed;
  return '';
}

/** A place in words: with its address, where it has one. */
export function placeName(choice: CoordinatorChoice, view: CoordinatorView): string {
  switch (choice.kind) {
    case 'embedded':
    case 'this-hub':
      return text.names[choice.kind];
    case 'hub':
      return view.pairedHub?.name ?? text.names.hub;
    case 'postgres':
      return `${text.names.postgres} (${choice.host})`;
    case 'etcd':
      return `${text.names.etcd} (${choice.endpoints[0] ?? ''}${choice.endpoints.length > 1 ? ' …' : ''})`;
    default:
      return choice satisfies never;
  }
}

/** How far a port number may go. */
const LAST_PORT = 65_535;

/** A port, or `null` if it is none. */
export function portOf(typed: string): number | null {
  const port = Number(typed);
  return /^\d{1,5}$/u.test(typed.trim()) && port >= 1 && port <= LAST_PORT ? port : null;
}

function endpointsOf(typed: string): string[] {
  return typed.split(/[\s,]+/u).filter((endpoint) => endpoint !== '');
}

function isAddress(endpoint: string): boolean {
  return /^https?:\/\//u.test(endpoint) && URL.canParse(endpoint);
}
