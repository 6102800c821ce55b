import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ONE_MACHINE, describeLinearizability } from './describe-linearizability.ts';
import type { RegisterUnderTest } from './describe-linearizability.ts';

function inFolder(place: (folder: string) => string): RegisterUnderTest['begin'] {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fencepost-register-'));
    return { place: place(folder), end: async () => rmSync(folder, { recursive: true, force: true }) };
  };
}

describeLinearizability(
  'the register file',
  {
    module: new URL('drivers/register-file.ts', import.meta.url),
    begin: inFolder((folder) => join(folder, 'register.sqlite')),
    processes: 5,
    lanes: 2,
    expiry: ONE_MACHINE,
    canReboot: true,
  },
  { perCommit: 110, perNight: 7_500 },
);

// One host per profile holds it, so its clients are callers within one process, which is killed as a whole.
describeLinearizability(
  'the embedded register',
  {
    module: new URL('drivers/embedded-register.ts', import.meta.url),
    begin: inFolder((folder) => folder),
    processes: 1,
    lanes: 8,
    expiry: ONE_MACHINE,
    canReboot: true,
  },
  { perCommit: 50, perNight: 2_500 },
);
