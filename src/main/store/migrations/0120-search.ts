import type { Migration } from '../migrate.ts';

/** Characters that nobody sees and nobody can type: a word is found also where one of them was put into it. */
const UNSEEN = [
  0xad, 0x61c, 0x180e, 0x200b, 0x200c, 0x200d, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2060, 0x2061,
  0x2062, 0x2063, 0x2064, 0x2066, 0x2067, 0x2068, 0x2069, 0xfeff,
];
const STRIPPED = UNSEEN.reduce((sql, code) => `replace(${sql}, char(${code}), '')`, 'text');
/** Most texts have as many bytes as characters, and so none of these. */
const FOLDED = `iif(octet_length(text) = length(text), text, ${STRIPPED})`;

/** An entry of the journal as what can be found in it; texts that another device wrote may be anything. */
function textsOf(row: string): string {
  const field = (name: string) => `coalesce(json_extract(${row}payload, '$.${name}'), '')`;
  const both = (one: string, other: string) =>
    `CASE WHEN instr(${one}, ${other}) > 0 THEN ${one} ELSE ${one} || ' · ' || ${other} END`;
  return `
    SELECT seq, kind, run_id, text FROM (
      SELECT ${row}seq AS seq, ${row}run_id AS run_id,
        CASE WHEN ${row}kind IN ('trigger.fired', 'run.branched') THEN 'run'
          WHEN ${row}kind IN ('intent.recorded', 'approval.requested') THEN 'target' ELSE 'summary' END AS kind,
        substr(CASE ${row}kind WHEN 'trigger.fired' THEN ${field('title')}
          WHEN 'run.branched' THEN ${both(field('title'), field('branch'))}
          WHEN 'intent.recorded' THEN ${both(field('title'), field('target'))}
          WHEN 'approval.requested' THEN ${both(field('title'), field('target'))}
          WHEN 'intent.refused' THEN ${field('message')}
          ELSE ${field('summary')} END, 1, 1000) AS text`;
}

const WITH_TEXTS = (row: string) => `${row}run_id IS NOT NULL AND ${row}kind IN ('trigger.fired', 'run.branched',
  'intent.recorded', 'intent.refused', 'approval.requested', 'settle.recorded', 'settle.late-evidence', 'run.concluded',
  'run.ended', 'recovery.probed') AND json_valid(${row}payload)`;

/** Brings what waits into the index. One statement for each kind: a word that is common in one is no work for the others. */
const TAKE_IN = ['run', 'target', 'summary']
  .map(
    (kind) => `
  INSERT INTO search_${kind} (rowid, folded)
    SELECT seq, folded FROM search_texts WHERE kind = '${kind}' AND seq IN (SELECT seq FROM search_waiting) ORDER BY seq;`,
  )
  .join('');

/**
 * What can be searched, from the entries themselves: an entry never changes, so neither does what was made of it, and nothing
 * here is ever made again. Bringing one text into the index touches many pages, so texts wait until there are many of them;
 * the few that wait are looked at one by one. A text is found by any three letters in a row.
 */
export const searchMigration: Migration = {
  version: 120,
  name: 'search',
  sql: `
CREATE TABLE search_texts (
  seq    INTEGER PRIMARY KEY,
  kind   TEXT NOT NULL,
  run_id TEXT NOT NULL,
  text   TEXT NOT NULL,
  folded TEXT AS (${FOLDED}) VIRTUAL
) STRICT;
CREATE INDEX search_texts_of_kind ON search_texts (kind, seq);
CREATE TABLE search_waiting (seq INTEGER PRIMARY KEY) STRICT;
${['run', 'target', 'summary']
  .map(
    (kind) => `CREATE VIRTUAL TABLE search_${kind}
  USING fts5 (folded, content = '', columnsize = 0, tokenize = 'trigram remove_diacritics 1');`,
  )
  .join('\n')}

INSERT INTO search_texts (seq, kind, run_id, text) ${textsOf('')} FROM ops WHERE ${WITH_TEXTS('')}) WHERE text <> '';
INSERT INTO search_waiting (seq) SELECT seq FROM search_texts;
${TAKE_IN}
DELETE FROM search_waiting;

CREATE TRIGGER ops_are_searched AFTER INSERT ON ops WHEN ${WITH_TEXTS('new.')} BEGIN
  INSERT OR IGNORE INTO search_texts (seq, kind, run_id, text) ${textsOf('new.')}) WHERE text <> '';
END;
CREATE TRIGGER search_texts_wait AFTER INSERT ON search_texts BEGIN
  INSERT INTO search_waiting (seq) VALUES (new.seq);
END;
CREATE TRIGGER search_takes_in AFTER INSERT ON search_waiting WHEN (SELECT count(*) FROM search_waiting) >= 512 BEGIN
  ${TAKE_IN}
  DELETE FROM search_waiting;
END;
`,
};
