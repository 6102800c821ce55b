import { problem } from '../../../shared/contract/errors.ts';
import type { Problem } from '../../../shared/contract/errors.ts';
import { sentenceOf } from '../register-problem.ts';
import { POSTGRES_SCHEMA_VERSION } from './register-schema.ts';
import { PostgresSilentError, PostgresWarningError } from './postgres-connection.ts';

/** What went wrong, and at which of the things that `testPostgres` looks at. */
export interface Failure {
  readonly id: 'reachable' | 'tls' | 'password' | 'database' | 'primary' | 'schema' | 'rights';
  readonly sentence: string;
  readonly wayOut: string;
}

type Explanation = readonly [Failure['id'], string, string];

const ASK_ADMINISTRATOR = 'Ask whoever runs the server.';
const CERTIFICATE: Explanation = [
  'tls',
  'The server did not prove who it is: its certificate is not signed by an authority that is trusted here.',
  'Enter the certificate of the authority that signed it.',
];
const NOT_INSTALLED: Explanation = [
  'schema',
  'This database holds no register of Fencepost.',
  'Let Fencepost install it, or apply the migration by hand.',
];

/** By the codes of the network, of TLS, and of PostgreSQL (its appendix A). */
const EXPLANATIONS: ReadonlyMap<string, Explanation> = new Map<string, Explanation>([
  ['ECONNREFUSED', ['reachable', 'No database answers at this address.', 'Check host and port, and whether it runs.']],
  ['ENOTFOUND', ['reachable', 'There is no machine of this name.', 'Check the host, and the network.']],
  ['EAI_AGAIN', ['reachable', 'The name of the machine could not be looked up.', 'Check the network.']],
  ['EHOSTUNREACH', ['reachable', 'There is no way to this machine.', 'Check the network, or the VPN.']],
  ['ENETUNREACH', ['reachable', 'There is no way to this machine.', 'Check the network, or the VPN.']],
  ['ETIMEDOUT', ['reachable', 'The machine did not answer in time.', 'Check the network, or the VPN.']],
  ['ECONNRESET', ['reachable', 'The connection was cut.', 'Check the network, and whether the server runs.']],
  ['EPIPE', ['reachable', 'The connection was cut.', 'Check the network, and whether the server runs.']],
  [
    '57P01',
    ['reachable', 'The server is being shut down, or an administrator ended the connection.', ASK_ADMINISTRATOR],
  ],
  ['57P02', ['reachable', 'The server broke down and is starting again.', 'Wait a moment.']],
  ['57P03', ['reachable', 'The server is starting or stopping.', 'Wait a moment.']],
  ['53300', ['reachable', 'The server has no connection left.', ASK_ADMINISTRATOR]],
  ['53100', ['reachable', 'The disk of the server is full.', ASK_ADMINISTRATOR]],
  ['55P03', ['reachable', 'Other devices keep this agent busy.', 'Wait a moment.']],
  ['57014', ['reachable', 'The server took too long.', 'Wait a moment.']],
  ['25P03', ['reachable', 'This device fell silent in the middle of a question, and the server took it back.', '']],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', CERTIFICATE],
  ['SELF_SIGNED_CERT_IN_CHAIN', CERTIFICATE],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', CERTIFICATE],
  ['UNABLE_TO_GET_ISSUER_CERT', CERTIFICATE],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', CERTIFICATE],
  ['CERT_HAS_EXPIRED', ['tls', 'The certificate of the server has run out.', ASK_ADMINISTRATOR]],
  [
    'ERR_TLS_CERT_ALTNAME_INVALID',
    ['tls', 'The certificate of the server is for another name.', 'Use the host that stands in the certificate.'],
  ],
  ['28P01', ['password', 'The server does not accept this user with this password.', 'Check both.']],
  [
    '28000',
    [
      'password',
      'The server does not let this user in from here, or not over a connection of this kind.',
      'Check the user and the encryption, or ask whoever runs the server.',
    ],
  ],
  ['3D000', ['database', 'There is no database of this name.', 'Check the name.']],
  [
    '25006',
    [
      'primary',
      'This server only answers reads: it is a standby, and what it says may be old.',
      'Enter the address of the primary.',
    ],
  ],
  ['3F000', NOT_INSTALLED],
  ['42P01', NOT_INSTALLED],
  ['42883', NOT_INSTALLED],
  [
    '42501',
    [
      'rights',
      'This user may not use the register.',
      'Make it a member of fencepost_app: GRANT fencepost_app TO user.',
    ],
  ],
]);

/** A whole sentence for whatever a connection threw. It repeats no password, since nothing that is thrown here contains one. */
export function explainFailure(cause: unknown): Failure {
  const [id, sentence, wayOut] = explanationOf(cause);
  return { id, sentence, wayOut };
}

function explanationOf(cause: unknown): Explanation {
  const known = EXPLANATIONS.get(codeOf(cause));
  if (known !== undefined) return known;
  if (cause instanceof PostgresSilentError)
    return ['reachable', sentenceOf(cause), 'Check the network, and the server.'];
  if (cause instanceof PostgresWarningError) {
    return ['reachable', `The server did not do as it should: ${sentenceOf(cause)}`, ASK_ADMINISTRATOR];
  }
  const text = sentenceOf(cause);
  if (/does not support SSL/u.test(text)) {
    return ['tls', 'The server does not encrypt.', 'Have it set up, or choose a connection without encryption.'];
  }
  // A server that only looks at the client's certificate, or a client without one.
  if (/^E?SSL|^ERR_SSL|^ERR_TLS/u.test(codeOf(cause)))
    return ['tls', `The encryption failed: ${text}`, ASK_ADMINISTRATOR];
  if (/SASL|SCRAM/u.test(text)) return ['password', 'The server asks for a password.', 'Enter it.'];
  if (/Connection terminated/u.test(text)) return ['reachable', 'The connection was cut.', 'Check the network.'];
  return ['reachable', text, ASK_ADMINISTRATOR];
}

/** Of several tries at several addresses, the first one that has a code. */
function codeOf(cause: unknown): string {
  if (cause instanceof AggregateError && cause.errors.length > 0) return codeOf(cause.errors[0]);
  return cause instanceof Error && 'code' in cause ? String(cause.code) : '';
}

/** The database is there, and no register in it. */
export function notInstalledProblem(): Problem {
  const [, sentence, wayOut] = NOT_INSTALLED;
  return problem('register-not-installed', sentence, wayOut);
}

/** The server behind the register is not the one, or no longer in the life, in which it was last known. */
export function restoredProblem(): Problem {
  return problem(
    'register-went-back',
    'The PostgreSQL server that keeps the right to act was failed over, restored or copied, so it may have forgotten who may act.',
    'Nothing is sent. Make sure that this is the right server and that no other one goes on, then confirm it under Coordinator.',
  );
}

/** What is wrong with a register that answered, before anything is decided; `null` if nothing is. */
export function standingProblem(of: {
  readonly isSameServer: boolean;
  readonly schemaVersion: number;
}): Problem | null {
  if (!of.isSameServer) return restoredProblem();
  if (of.schemaVersion === POSTGRES_SCHEMA_VERSION) return null;
  return problem(
    'register-unreachable',
    `The register in this database is of version ${of.schemaVersion}, and this Fencepost knows version ${POSTGRES_SCHEMA_VERSION}.`,
    'Nothing new is sent. Use the same version of Fencepost on all devices.',
  );
}
