import { secretNameSchema } from '../../shared/contract/tool-calls.ts';

const PREFIX = 'FENCEPOST_SECRET_';

/**
 * Takes the secrets out of an environment: `FENCEPOST_SECRET_API_KEY` is the secret `api-key`. Every variable with that
 * beginning is gone afterwards, so that no child process inherits one. Empty ones count as not set.
 */
export function takeEnvironmentSecrets(environment: Record<string, string | undefined>): ReadonlyMap<string, string> {
  const taken = new Map<string, string>();
  for (const variable of Object.keys(environment)) {
    if (!variable.toUpperCase().startsWith(PREFIX)) continue;
    const value = environment[variable];
    // A set of undefined would leave the text "undefined" in the environment of the process.
    Reflect.deleteProperty(environment, variable);
    const name = variable.slice(PREFIX.length).toLowerCase().replaceAll('_', '-');
    if (value !== undefined && value !== '' && secretNameSchema.safeParse(name).success) taken.set(name, value);
  }
  return taken;
}

/** The variable that a secret of this name is read from. */
export function environmentVariableOf(name: string): string {
  return `${PREFIX}${name.toUpperCase().replaceAll('-', '_')}`;
}
