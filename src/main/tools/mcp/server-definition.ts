import { createHash } from 'node:crypto';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import type { StrategyScope, ToolServer } from '../../../shared/contract/scope.ts';
import type { SecretPart } from '../../../shared/contract/tool-calls.ts';
import { canonicalJson } from '../../../shared/lib/canonical-json.ts';
import { ownMember } from '../../../shared/lib/own-member.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { allowedUrl } from '../http/host-allowed.ts';
import { resolveInside } from '../resolve-inside.ts';
import type { SecretReader, ToolRun, ToolsOptions } from '../tool.ts';
import { notSent } from './call-outcome.ts';
import type { KeptSignIns } from './sign-in/kept-sign-ins.ts';
import { signInAddress } from './sign-in/sign-in-address.ts';

/** A server that a scope holds, checked against the rest of that scope. */
export interface CheckedServer {
  /** The name that the scope gives it, hidden characters escaped. */
  readonly name: string;
  readonly definition: ToolServer;
  /** The folder that its program runs in; `null` for a server with an address. */
  readonly cwd: string | null;
  readonly writableFolders: readonly string[];
}

/** A checked server with the secrets that it is given, ready to be started or called. */
export interface ReadyServer extends CheckedServer {
  /** Values by the variable or header that they go into. They stay in memory. */
  readonly secretValues: Readonly<Record<string, string>>;
  /** Where this device can be signed in, or why it cannot. */
  readonly signIn: ReturnType<typeof signInAddress>;
  /** Equal for servers that one connection can serve: the same definition, given the same secrets. */
  readonly key: string;
}

type Program = Extract<ToolServer, { command: string[] }>;
type Address = Extract<ToolServer, { url: string }>;

/** Headers that frame the message or belong to the protocol. */
const RESERVED_HEADERS = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'last-event-id',
  'mcp-protocol-version',
  'mcp-session-id',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Looks a server up in the scope and checks that it stays inside it. The error is a sentence. */
export async function checkServer(
  name: string,
  scope: StrategyScope,
  options: ToolsOptions,
): Promise<Result<CheckedServer, string>> {
  const definition = ownMember(scope.servers, name);
  const shown = visibleText(name);
  if (definition === undefined) return err(`This agent may not use a tool server named "${shown}".`);
  const checked = { name: shown, definition, writableFolders: scope.folders };
  if ('url' in definition) {
    const url = allowedUrl(definition.url, scope.hosts);
    if (!url.ok) return err(url.error);
    const flaw = headersFlaw(definition);
    return flaw === null ? ok({ ...checked, cwd: null }) : err(flaw);
  }
  const flaw = programFlaw(definition);
  if (flaw !== null) return err(flaw);
  // Without a folder of its own a server runs where its user is at home, never in the folder of Fencepost itself.
  if (definition.cwd === undefined) return ok({ ...checked, cwd: options.homeFolder ?? os.homedir() });
  const cwd = await resolveInside(definition.cwd, { ...options, folders: scope.folders });
  return cwd.ok ? ok({ ...checked, cwd: cwd.value }) : err(cwd.error);
}

/**
 * Looks up every secret that a server is given, and the sign-in there. Where a secret is missing or the sign-in cannot be
 * renewed, the error is the whole answer of the call.
 */
export async function readyServer(
  checked: CheckedServer,
  secrets: Pick<SecretReader, 'read' | 'hide'>,
  signIns: KeptSignIns | null,
): Promise<Result<ReadyServer, ToolRun>> {
  const { definition } = checked;
  const secretValues: Record<string, string> = {};
  for (const [target, part] of Object.entries(secretParts(definition))) {
    const value = await secrets.read(part.secret);
    if (!value.ok) return value;
    const whole = part.prefix + value.value;
    if (!isUsable(definition, target, whole)) return err(unusable(part.secret));
    secretValues[target] = whole;
  }
  const signIn = signInAddress(definition);
  const signedIn = signIns === null || 'none' in signIn ? ok(null) : await signIns.ready(signIn.address);
  if (!signedIn.ok) return err(notSent(signedIn.error.sentence, signedIn.error));
  const ready = { ...checked, secretValues, signIn };
  hideSignIn(ready, secrets, signIns);
  // A connection of one sign-in serves no other one.
  const key = sha256(canonicalJson({ definition, secretValues, signIn: signedIn.value?.id ?? null }));
  return ok({ ...ready, key });
}

/** Keeps the tokens out of whatever is told of a call. Once more after it, because they may have been renewed within it. */
export function hideSignIn(
  { signIn }: Pick<ReadyServer, 'signIn'>,
  secrets: Pick<SecretReader, 'hide'>,
  signIns: KeptSignIns | null,
): void {
  if (signIns === null || 'none' in signIn) return;
  for (const value of signIns.secrets(signIn.address)) secrets.hide('of the sign-in', value);
}

/** A digest in hexadecimal. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What a server is, in words: its command line or its address. */
export function serverText(definition: ToolServer): string {
  return visibleText('url' in definition ? definition.url : definition.command.join(' '));
}

function secretParts(definition: ToolServer): Readonly<Record<string, SecretPart>> {
  if ('url' in definition) return definition.secretHeaders ?? {};
  const variables = Object.entries(definition.secretEnv ?? {});
  return Object.fromEntries(variables.map(([name, secret]) => [name, { secret, prefix: '' }]));
}

function isUsable(definition: ToolServer, target: string, value: string): boolean {
  return 'url' in definition ? canBeHeader(target, value) : !value.includes('\0');
}

function unusable(secret: string): ToolRun {
  return {
    outcome: { kind: 'failure', class: 'authority', code: 'secret-unusable', wasSent: false },
    output: null,
    summary: `The secret ${secret} holds characters that cannot be handed to the tool server. Nothing was sent.`,
  };
}

function programFlaw(definition: Program): string | null {
  const program = definition.command[0] ?? '';
  if (/[\\/]/u.test(program) && !path.isAbsolute(program)) {
    return `"${visibleText(program)}" must be a plain name or a full path.`;
  }
  const environment = Object.entries(definition.env ?? {}).flat();
  if ([...definition.command, ...environment].some((each) => each.includes('\0') || !each.isWellFormed())) {
    return 'The command line of a tool server holds characters that a program cannot take.';
  }
  if (Object.keys(definition.env ?? {}).some((name) => !/^[A-Za-z_][A-Za-z0-9_]*$/u.test(name))) {
    return 'A variable of a tool server has a name that no variable can have.';
  }
  return null;
}

function headersFlaw(definition: Address): string | null {
  const names = [...Object.keys(definition.headers ?? {}), ...Object.keys(definition.secretHeaders ?? {})];
  const lower = names.map((name) => name.toLowerCase());
  const reserved = lower.find((name) => RESERVED_HEADERS.has(name) || name.startsWith('proxy-'));
  if (reserved !== undefined) return `The header "${reserved}" is set by Fencepost itself.`;
  if (new Set(lower).size < lower.length) return 'A header of a tool server is there twice.';
  const bad = Object.entries(definition.headers ?? {}).find(([name, value]) => !canBeHeader(name, value));
  return bad === undefined ? null : `The header "${bad[0]}" holds characters that a header cannot carry.`;
}

function canBeHeader(name: string, value: string): boolean {
  try {
    http.validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
