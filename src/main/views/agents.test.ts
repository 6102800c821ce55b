import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { SAMPLE_AGENT_IDS } from './agents.ts';

it('a sample that comes with the program is not marked as one', () => {
  const folder = path.join(import.meta.dirname, '../../../samples');
  const files = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  const ids = new Set(files.map((name) => /^id: (\S+)$/mu.exec(readFileSync(path.join(folder, name), 'utf8'))?.[1]));
  expect(ids).toEqual(new Set(SAMPLE_AGENT_IDS));
});
