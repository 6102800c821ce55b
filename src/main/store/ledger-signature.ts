import { framed, isSignedBy, signWith } from '../hub/proofs.ts';

/** Which file was exported, and by whom. */
interface SignedLedger {
  readonly deviceId: string;
  /** Of all bytes before the last line, in hexadecimal. */
  readonly sha256: string;
}

/**
 * The device says with its Ed25519 key that it exported exactly this file; base64url. Journals alone do not say where they
 * end, nor which entries were asked for. @throws Error for something that is no key.
 */
export function signLedger(privateKey: string, ledger: SignedLedger): string {
  return signWith(privateKey, statementOf(ledger));
}

/** Whether the owner of the key (raw, base64url) said so. False for anything malformed. */
export function isLedgerSigned(publicKey: string, ledger: SignedLedger, signature: string): boolean {
  return isSignedBy(publicKey, statementOf(ledger), signature);
}

function statementOf({ deviceId, sha256 }: SignedLedger): Buffer {
  return framed(['fencepost-ledger-v1', deviceId, sha256]);
}
