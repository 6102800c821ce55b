import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import type { Result } from '../../../shared/lib/result.ts';

/** How long a question may take with everything that belongs to it, ms: less than the send window X. */
export const ASK_LIMIT_MS = 2_500;

const DEFAULT_PORT = 5432;

/** Where the database is and as whom to sign in. Nothing of it is secret. */
export interface PostgresAddress {
  /** A name, an address, or the folder of a socket on this machine. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/**
 * How the connection is protected. `verified`: encrypted, and the server proves that it is `host` by a certificate that this
 * machine trusts, or that `caPem` signed. There is no encryption without proof.
 */
type PostgresTls =
  | { readonly kind: 'off' }
  | {
      readonly kind: 'verified';
      /** The authority to trust instead of those of this machine; PEM. */
      readonly caPem: string | null;
      /** What this device shows of itself, where the server wants a certificate; PEM. */
      readonly client: { readonly certificatePem: string; readonly keyPem: string } | null;
    };

/** One register on PostgreSQL. */
export interface PostgresOptions {
  /** What a person calls it. */
  readonly name: string;
  readonly address: PostgresAddress;
  /** `null`: the server asks for none. Stands in no sentence, error or log. */
  readonly password: string | null;
  readonly tls: PostgresTls;
}

/**
 * Reads `postgresql://user@host:port/database`. An address that carries a password is refused, since addresses are shown and
 * written down; so is one with settings behind it, which would be ignored. Answers never repeat the text.
 */
export function parsePostgresUrl(text: string): Result<PostgresAddress, Problem> {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:')) {
    return refuse('This is not the address of a PostgreSQL database.');
  }
  if (url.password !== '') return refuse('The address contains a password, which would be shown with it.');
  if (url.search !== '' || url.hash !== '') return refuse('The address has settings behind it, which are not used.');
  const database = decode(url.pathname.slice(1));
  const user = decode(url.username);
  const host = decode(url.hostname).replace(/^\[(.*)\]$/u, '$1');
  if (database === '' || user === '' || host === '') {
    return refuse('The address does not name a host, a database and a user.');
  }
  return ok({ host, port: url.port === '' ? DEFAULT_PORT : Number(url.port), database, user });
}

function refuse(sentence: string): { readonly ok: false; readonly error: Problem } {
  const wayOut = 'Write it as postgresql://user@host:5432/database, and enter the password in its own field.';
  return err(problem('input-invalid', sentence, wayOut));
}

/** Empty where it is not readable, as where it is missing. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
