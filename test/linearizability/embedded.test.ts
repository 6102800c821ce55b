import { describeLinearizability, ONE_MACHINE } from './describe-linearizability.ts';
import { inFolder } from './in-folder.ts';

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
