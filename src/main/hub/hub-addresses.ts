import { hostname, networkInterfaces } from 'node:os';

/** How long the list of this machine's addresses is gone by, ms; it changes with the network. */
const LIST_FOR_MS = 5_000;
const EVERYWHERE = new Set(['0.0.0.0', '::']);
const LOOPBACK = ['127.0.0.1', 'localhost'];

/** `name:port` or `[address]:port`: by another port than its own, behind a router that passes one on. */
const HAS_PORT = /^(?:[^:]+|\[.+\]):\d{1,5}$/u;

/** As it stands in a `Host` header. */
export function hostOf(address: string, port: number): string {
  if (HAS_PORT.test(address)) return address.toLowerCase();
  return `${address.includes(':') ? `[${address}]` : address}:${port}`.toLowerCase();
}

/** Whether an address can stand in a link, which names one port for all of them. */
export function hasOwnPort(address: string): boolean {
  return HAS_PORT.test(address);
}

/**
 * Under which addresses this machine is found, the most useful first. `named` are those a person gave, for a router that
 * passes a port on or a name in DNS; a server that listens on one address has that one.
 */
export function createHubAddresses(of: {
  readonly host: string;
  readonly named: readonly string[];
  readonly nowMs: () => number;
}): () => readonly string[] {
  const { host, named, nowMs } = of;
  if (!EVERYWHERE.has(host)) return () => [...new Set([...named, host])];
  let list: readonly string[] = [];
  let listedMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (nowMs() - listedMs > LIST_FOR_MS) {
      list = [...new Set([...named, ...ownAddresses(), hostname(), ...LOOPBACK])];
      listedMs = nowMs();
    }
    return list;
  };
}

function ownAddresses(): string[] {
  const found = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  const reachable = found.filter(({ internal, address }) => !internal && !address.startsWith('fe80:'));
  return reachable.toSorted((one, other) => one.family.localeCompare(other.family)).map(({ address }) => address);
}
