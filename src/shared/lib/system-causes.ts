import { ownMember } from './own-member.ts';

/** What the codes of networks and disks mean, as the end of a sentence. */
const CAUSES: Readonly<Record<string, string>> = {
  eacces: 'the system does not allow it',
  eaddrnotavail: 'this device has no such address',
  eai_again: 'its name could not be looked up',
  econnaborted: 'the connection was cut',
  econnrefused: 'nothing answers there',
  econnreset: 'the connection was cut',
  ehostdown: 'there is no way to it in this network',
  ehostunreach: 'there is no way to it in this network',
  eio: 'the disk failed',
  eisdir: 'a folder is in its place',
  enetdown: 'the network is down',
  enetunreach: 'the network cannot be reached',
  enoent: 'it is not there',
  enospc: 'there is no room left',
  enotdir: 'a file is in the place of its folder',
  enotfound: 'there is no machine of this name',
  eperm: 'the system does not allow it',
  epipe: 'the connection was cut',
  erofs: 'its disk is read-only',
  etimedout: 'no answer came in time',
};

/** `econnrefused` as the end of a sentence: `nothing answers there`; `null` for a code that is not known here. */
export function causeText(code: string): string | null {
  return ownMember(CAUSES, code.toLowerCase()) ?? null;
}

/** The system's code of whatever was thrown, such as `ECONNREFUSED`; empty for what has none. */
export function systemCodeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
}
