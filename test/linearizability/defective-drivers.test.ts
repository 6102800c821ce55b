import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { reportFigures } from '../harness/figures.ts';
import { ONE_MACHINE, historiesUntilCaught } from './describe-linearizability.ts';
import { DEFECTS } from './drivers/defective-register.ts';

/** How many histories a defect may hide in, before the harness counts as blind to it. */
const LIMIT = 60;

// The same harness, the same clients, the same checker: what is never seen to fail proves nothing by passing.
describe('a defective driver is caught by the histories it makes', () => {
  test.for([...DEFECTS])('%s', async (variant) => {
    const caughtAfter = await historiesUntilCaught(
      {
        module: new URL('drivers/defective-register.ts', import.meta.url),
        variant,
        async begin() {
          const folder = mkdtempSync(join(tmpdir(), 'fencepost-register-'));
          const end = async (): Promise<void> => rmSync(folder, { recursive: true, force: true });
          return { place: join(folder, 'register.sqlite'), end };
        },
        processes: 4,
        lanes: 2,
        expiry: ONE_MACHINE,
        canReboot: false,
      },
      LIMIT,
    );
    expect(caughtAfter).toBeLessThanOrEqual(LIMIT);
    reportFigures({ 'planted found': 1 });
  });
});
