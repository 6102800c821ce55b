import { spawn } from 'node:child_process';

/** How long a group may take to end by itself once its host is gone, seconds. */
const GRACE_SECONDS = 2;
/** Waits for a word, or for the end of whoever could say it: the pipe closes with the host, however that ended. */
const SCRIPT = 'read -r word; test "$word" = over && exit; sleep "$1"; kill -KILL "-$2"';

/**
 * Sees to it that a process group does not outlive this process, even if that is killed: a server that does not mind the
 * end of its input would run for ever, and nobody would know it. What is returned says that the group is gone already.
 * Windows has no process groups; there a server has to end with its input. Without a guard the server runs all the same.
 */
export function guardGroup(groupId: number): () => void {
  if (process.platform === 'win32') return () => undefined;
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'sh', String(GRACE_SECONDS), String(groupId)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // In a session of its own, so that no signal meant for the host ends it first.
    detached: true,
    env: { PATH: '/bin:/usr/bin' },
  });
  guard.on('error', () => undefined);
  guard.stdin.on('error', () => undefined);
  guard.unref();
  return () => void guard.stdin.end('over\n');
}
