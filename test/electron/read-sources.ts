import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..', '..');

/** A file of the product, by its path from the root, with `/` on every system. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/** All product sources, without their tests. */
export function readSources(): readonly Source[] {
  const names = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /(?<!\.test)\.tsx?$/u.test(name))
    .map((name) => ({
      file: `src/${name.replaceAll(path.sep, '/')}`,
      text: readFileSync(path.join(root, 'src', name), 'utf8'),
    }));
}
