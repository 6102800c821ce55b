import { framed, isSignedBy, signWith } from '../../hub/proofs.ts';

/** A place in a journal. Its id covers every entry before it, because each one has the id of the one before in it. */
export interface SignedHead {
  readonly deviceId: string;
  readonly seq: number;
  readonly opId: string;
}

/** The device says with its Ed25519 key that its journal up to here is its own; base64url. @throws Error for something that is no key. */
export function signHead(privateKey: string, head: SignedHead): string {
  return signWith(privateKey, journalStatement(head));
}

/** Whether the owner of the key (raw, base64url) said so. False for anything malformed. */
export function isHeadSigned(publicKey: string, head: SignedHead, signature: string): boolean {
  return isSignedBy(publicKey, journalStatement(head), signature);
}

function journalStatement({ deviceId, seq, opId }: SignedHead): Buffer {
  return framed(['fencepost-journal-v1', deviceId, String(seq), opId]);
}
