/** What a keychain does for Fencepost: it keeps the key, Fencepost keeps the sealed values. */
export interface SecretCipher {
  /** Where the key lies, as words after "in": `the keychain of macOS`. */
  readonly backend: string;
  /** Rejects where the keychain does not answer, or would only pretend to seal. */
  encrypt(value: string): Promise<Buffer>;
  /** `isStale`: the keychain wants the value sealed anew, because its key changed. Rejects like `encrypt`. */
  decrypt(sealed: Buffer): Promise<{ readonly value: string; readonly isStale: boolean }>;
}
