import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Problem } from '../../../../shared/contract/errors.ts';
import type { Result } from '../../../../shared/lib/result.ts';
import type { SecretStore } from '../../../secrets/secret-store.ts';

const text = z.string().min(1);
/** What this device is to the authorization server: registered for one sign-in. */
const clientSchema = z.object({
  client_id: text,
  client_secret: z.string().optional(),
  token_endpoint_auth_method: z.string().optional(),
  issuer: z.string().optional(),
});
const metadataSchema = z.object({
  issuer: text,
  authorization_endpoint: text,
  token_endpoint: text,
  revocation_endpoint: z.string().optional(),
  response_types_supported: z.array(z.string()),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  revocation_endpoint_auth_methods_supported: z.array(z.string()).optional(),
});
const tokensSchema = z.object({
  /** What a header can carry; anything else would fail when a call is on its way. */
  access_token: z.string().regex(/^[!-~]+$/u),
  token_type: z.string(),
  refresh_token: z.string().optional(),
  scope: z.string().optional(),
  issuer: z.string().optional(),
});
const recordSchema = z.object({
  version: z.literal(1),
  address: text,
  /** Another one for each sign-in. */
  id: text,
  /** Wall ms. */
  signedInAtMs: z.number(),
  /** From when on the token is renewed before it is used, and when it runs out, wall ms; `null` if nobody said. */
  renewAtMs: z.number().nullable(),
  expiresAtMs: z.number().nullable(),
  client: clientSchema,
  tokens: tokensSchema,
  /** The resource that the tokens are for, as its server spells it. */
  resource: z.string().nullable(),
  authorizationServer: z.object({ url: text, metadata: metadataSchema.nullable() }),
});

/** A sign-in at one server with everything that is secret about it. It is kept whole or not at all. */
export type SignInRecord = z.infer<typeof recordSchema>;

/** Takes over what is needed later; the rest of what servers say is not kept. Throws where something is missing. */
export function toSignInRecord(parts: Omit<SignInRecord, 'version'>): SignInRecord {
  return recordSchema.parse({ version: 1, ...parts });
}

/** Reads the sign-in at an address; `null` if there is none. Rejects if the store cannot be read. */
export async function readSignIn(store: SecretStore, address: string): Promise<SignInRecord | null> {
  const value = await store.read(nameOf(address));
  if (value === null) return null;
  const record = parse(value);
  // Only a whole digest leads here, and only the exact address counts.
  return record?.address === address ? record : null;
}

/** All sign-ins that are kept. Rejects if the store cannot be read. */
export async function readSignIns(store: SecretStore): Promise<readonly SignInRecord[]> {
  const values = await Promise.all((await store.names()).map((name) => store.read(name)));
  return values.flatMap((value) => (value === null ? null : parse(value)) ?? []);
}

export async function writeSignIn(store: SecretStore, record: SignInRecord): Promise<Result<null, Problem>> {
  return await store.write(nameOf(record.address), JSON.stringify(record));
}

export async function removeSignIn(store: SecretStore, address: string): Promise<Result<null, Problem>> {
  return await store.remove(nameOf(address));
}

/** Everything in it that must not be seen. */
export function secretsIn({ client, tokens }: SignInRecord): readonly string[] {
  return [tokens.access_token, tokens.refresh_token, client.client_secret].filter((each) => each !== undefined);
}

/** Names of secrets cannot hold an address; the address stands in the value. */
function nameOf(address: string): string {
  return `at-${createHash('sha256').update(address).digest('hex').slice(0, 60)}`;
}

function parse(value: string): SignInRecord | null {
  try {
    const checked = recordSchema.safeParse(JSON.parse(value));
    return checked.success ? checked.data : null;
  } catch {
    return null;
  }
}
