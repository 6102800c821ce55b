// node test/linearizability/judge-history.ts FILE: judges a kept history once more and shows where no order fits.
import { readFileSync } from 'node:fs';
import { checkHistory } from './checker.ts';
import type { Operation } from './history.ts';
import { describeViolation } from './report.ts';
import type { ExpiryRules } from './specification.ts';

const kept = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'), (key, value: unknown) =>
  key === 'returnMs' && value === 'never' ? Infinity : value,
) as { readonly expiry: ExpiryRules; readonly history: readonly Operation[] };
const { kind, states } = checkHistory(kept.history, kept.expiry);
process.stdout.write(`${kept.history.length} operations, ${states} states: ${kind}.\n`);
if (kind === 'violation') process.stdout.write(`${describeViolation(kept.history, kept.expiry)}\n`);
process.exitCode = kind === 'linearizable' ? 0 : 1;
