/** Secrets as the window shows them: names, never a value. */

interface SecretUser {
  readonly agentId: string;
  readonly name: string;
}

/** A secret by its name, with the agents whose current version asks for it. */
export interface SecretRow {
  readonly name: string;
  readonly agents: readonly SecretUser[];
}

/** A secret that is there. */
export interface KeptSecretRow extends SecretRow {
  /** The variable of the environment that it comes from, where alone it can be changed; `null` if it is kept here. */
  readonly variable: string | null;
}

/** The secrets of this device. */
export interface SecretsView {
  readonly sequence: number;
  readonly kept: readonly KeptSecretRow[];
  /** Secrets that an agent asks for and that are not there. */
  readonly missing: readonly SecretRow[];
  readonly protection: {
    readonly kind: 'keychain' | 'plain-file' | 'session';
    readonly sentence: string;
  };
}
