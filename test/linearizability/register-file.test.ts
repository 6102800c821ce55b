import { join } from 'node:path';
import { describeLinearizability, ONE_MACHINE } from './describe-linearizability.ts';
import { inFolder } from './in-folder.ts';

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
