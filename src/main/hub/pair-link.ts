import { z } from 'zod';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';

const PREFIX = 'fencepost-pair:';
/** A link with sixteen long addresses is far shorter. */
const LINK_LIMIT = 4_096;

const schema = z.strictObject({
  addresses: z.array(z.string().min(1).max(255)).min(1).max(16),
  port: z.int().min(1).max(65_535),
  fingerprint: z.string().regex(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/u),
  invitationId: z.string().length(22),
  secret: z.string().length(43),
});

/** What an invitation says: where the hub is, by which certificate it is known, and the secret that opens it once. */
export type Invitation = z.infer<typeof schema>;

/** The text of a link, which a QR code carries as well. */
export function writePairLink(invitation: Invitation): string {
  return `${PREFIX}${Buffer.from(JSON.stringify(invitation), 'utf8').toString('base64url')}`;
}

/** Reads a link that a person pasted or scanned. */
export function readPairLink(text: string): Result<Invitation, Problem> {
  const link = text.trim();
  if (link.startsWith(PREFIX) && link.length <= LINK_LIMIT) {
    try {
      const said: unknown = JSON.parse(Buffer.from(link.slice(PREFIX.length), 'base64url').toString('utf8'));
      const read = schema.safeParse(said);
      if (read.success) return ok(read.data);
    } catch {
      // Not JSON; said below.
    }
  }
  return err(
    problem(
      'input-invalid',
      'This is not a pairing link, or a part of it is missing.',
      'Nothing was sent. Copy the whole link from the hub, or make a new one there.',
    ),
  );
}
