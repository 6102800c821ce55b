import { registerHooks } from 'node:module';
import { MASKS } from './masks.ts';
import { PLANTS } from './plants.ts';

/**
 * Plants bugs into the real product while it is loaded: each is a change of a few characters in one file of `src`, made in
 * memory. A change whose place is not there any more is an error, so that no plant goes on testing nothing; and so is one whose
 * file was loaded before, or not at all, which is what the answer makes sure of once everything is loaded.
 */
export function plant(names: readonly string[]): () => void {
  const changes = names.flatMap((name) => {
    const found = PLANTS[name] ?? MASKS[name];
    if (found === undefined) throw new Error(`There is no plant ${name}.`);
    return found.changes;
  });
  const files = new Set(changes.map(({ file }) => file));
  const confirm = (): void => {
    if (files.size > 0)
      throw new Error(`Nothing was planted in ${[...files].join(' and ')}: loaded too early, or never.`);
  };
  if (changes.length === 0) return confirm;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const here = changes.filter(({ file }) => url.endsWith(`/src/${file}`));
      if (here.length === 0 || loaded.source === undefined || loaded.source === null) return loaded;
      let source = typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source);
      for (const { file, from, to } of here) {
        if (!source.includes(from)) throw new Error(`Nothing to plant in ${file}: ${from}`);
        source = source.replaceAll(from, to);
        files.delete(file);
      }
      return { ...loaded, source };
    },
  });
  return confirm;
}
