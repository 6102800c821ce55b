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

/** Below which entry of a journal runs were condensed, and who says so. */
interface SignedCut {
  readonly byDevice: string;
  readonly deviceId: string;
  readonly seq: number;
  readonly opId: string;
}

/** The device says that it condensed runs below an entry of a journal; base64url. @throws Error for something that is no key. */
export function signCut(privateKey: string, cut: SignedCut): string {
  return signWith(privateKey, cutStatement(cut));
}

/** Whether the owner of the key (raw, base64url) said so. False for anything malformed. */
export function isCutSigned(publicKey: string, cut: SignedCut, signature: string): boolean {
  return isSignedBy(publicKey, cutStatement(cut), signature);
}

function cutStatement({ byDevice, deviceId, seq, opId }: SignedCut): Buffer {
  return framed(['fencepost-cut-v1', byDevice, deviceId, String(seq), opId]);
}
