import { createHash } from 'node:crypto';
import { digestSchema } from '../../shared/contract/identifiers.ts';
import type { Digest } from '../../shared/contract/identifiers.ts';
import { strategySchema } from '../../shared/contract/strategy.ts';
import type { Strategy, StrategyProblem } from '../../shared/contract/strategy.ts';
import { checkStrategy } from '../../shared/core/run/check-strategy.ts';
import { canonicalJson } from '../../shared/lib/canonical-json.ts';
import type { Result } from '../../shared/lib/result.ts';
import { err, ok } from '../../shared/lib/result.ts';
import { visibleText } from '../../shared/lib/visible-text.ts';
import { explainIssues } from './explain-issue.ts';
import { PROBLEM_LIMIT, readDocument } from './read-document.ts';
import type { SourceDocument } from './read-document.ts';
import { strategyJsonSchema } from './schema.ts';
import { triggerFaults } from './trigger-faults.ts';

/** A strategy that may be granted and run. */
export interface LoadedStrategy {
  readonly strategy: Strategy;
  /** SHA-256 over the canonical JSON of the parsed strategy: comments and layout do not change it. */
  readonly digest: Digest;
  /** The text as it was given. */
  readonly source: string;
}

/**
 * Parses a strategy file, JSON if its name ends in `.json` and YAML otherwise. Every problem names line, column and
 * field; at most `PROBLEM_LIMIT` of them are returned, in the order of the file.
 */
export function parseStrategy(fileName: string, text: string): Result<LoadedStrategy, StrategyProblem[]> {
  const document = readDocument(fileName, text);
  if (!document.ok) return err([...document.error]);
  const parsed = strategySchema.safeParse(document.value.data);
  if (!parsed.success) {
    const schema = strategyJsonSchema();
    const { data } = document.value;
    const explained = explainIssues(parsed.error.issues.slice(0, PROBLEM_LIMIT), data, schema);
    return err(inOrder(explained.map((each) => problemAt(document.value, each))));
  }
  const faults = [...checkStrategy(parsed.data), ...triggerFaults(parsed.data)];
  if (faults.length > 0) {
    const found = faults.slice(0, PROBLEM_LIMIT).map((fault) => ({ ...fault, isAboutName: false }));
    return err(inOrder(found.map((each) => problemAt(document.value, each))));
  }
  return ok({ strategy: parsed.data, digest: strategyDigest(parsed.data), source: text });
}

/** The digest that a grant binds to. */
function strategyDigest(strategy: Strategy): Digest {
  // The schema admits nothing but JSON.
  const canonical = canonicalJson(strategy);
  return digestSchema.parse(createHash('sha256').update(canonical, 'utf8').digest('hex'));
}

function problemAt(
  document: SourceDocument,
  at: { readonly path: readonly PropertyKey[]; readonly isAboutName: boolean; readonly message: string },
): StrategyProblem {
  const field = at.path.map((key) => visibleText(String(key)).slice(0, 80)).join('.');
  return { ...document.locate(at.path, at.isAboutName), field, message: at.message };
}

function inOrder(problems: readonly StrategyProblem[]): StrategyProblem[] {
  const sorted = problems.toSorted((one, other) => one.line - other.line || one.column - other.column);
  return sorted.slice(0, PROBLEM_LIMIT);
}
