// A child process that locks a profile, says how that went, and keeps it until it is killed or told to let go.
import { lockProfile } from '../lock.ts';

const [folder = ''] = process.argv.slice(2);
const locked = await lockProfile(folder, { version: '1.2.3' });
process.send?.(locked.ok ? { ok: true, pid: process.pid } : { ok: false, message: locked.error.message });
process.on('message', () => {
  if (locked.ok) void locked.value.release().then(() => process.send?.('released'));
});
process.on('disconnect', () => process.exit(0));
