import type { Answer, Route } from '../../shared/contract/api.ts';
import { problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { HostControl } from '../host/control.ts';
import { secretsView } from '../views/secrets.ts';
import type { Handlers } from './application.ts';
import { read, tell } from './answers.ts';

type Some<R extends Route> = Pick<Handlers, R>;

/** Secrets by name. A value comes in and never goes out again: not in an answer, not in a sentence, not in a log. */
export function secretHandlers(
  control: HostControl,
): Some<'secrets.list' | 'secrets.set' | 'secrets.remove' | 'secrets.choose'> {
  const { secrets } = control;
  return {
    'secrets.list': () => list(control),
    'secrets.set': ({ name, value }) =>
      tell(
        // Whoever copies a value from a terminal or a file mostly copies the line break after it.
        secrets.write(name, value.replace(/\r?\n$/u, '')),
        () => `Kept. The next step that asks for ${name} gets it. Nothing was sent.`,
      ),
    'secrets.remove': ({ name }) =>
      tell(
        secrets.remove(name),
        () => `Removed. A step that asks for ${name} fails from now on before anything is sent.`,
      ),
    'secrets.choose': async ({ kind }) => {
      const chosen = await secrets.choose(kind);
      return chosen.ok ? ok({ sentence: secrets.protection().sentence }) : chosen;
    },
  };
}

async function list(control: HostControl): Promise<Answer<'secrets.list'>> {
  let names: readonly string[];
  try {
    names = await control.secrets.names();
  } catch {
    // What the file or the keychain says about itself may quote what is in it.
    return err(
      problem(
        'store-unsure',
        'The secrets of this device cannot be read. Steps that ask for one fail before anything is sent.',
        'Look at secrets.json in the data folder. If it is damaged, put it aside and enter the secrets again.',
      ),
    );
  }
  return read(control, (source) => secretsView(source, { names, secrets: control.secrets }));
}
