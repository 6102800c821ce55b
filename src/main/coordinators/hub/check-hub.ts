import { fingerprintOf } from '../../hub/certificate.ts';
import { HUB_PATHS } from '../../hub/hub-wire.ts';
import { connectPinned, HubConnections } from './hub-connection.ts';
import type { HubPlace } from './hub-connection.ts';
import { hubFailureSentence, WrongCertificateError } from './hub-failure.ts';
import type { HubCoordinatorOptions } from './hub-coordinator.ts';
import { HubRefusal, HubSignIn } from './hub-sign-in.ts';

/** One thing that can be wrong with a hub, for the settings. */
export interface HubCheck {
  readonly id: 'reachable' | 'certificate' | 'paired' | 'allowed' | 'clock' | 'round-trip';
  readonly sentence: string;
  /** `null`: it could not be looked at, because of what failed before it. */
  readonly isOk: boolean | null;
  /** Empty where nothing is needed. */
  readonly wayOut: string;
}

const CALL_LIMIT_MS = 2_500;
/** A round trip above this makes each effect noticeably slower, ms. */
const SLOW_MS = 250;
/** Calendars that differ by more show wrong times, ms. */
const CLOCK_MS = 60_000;
const IDS = ['reachable', 'certificate', 'paired', 'allowed', 'clock', 'round-trip'] as const;

/** Tries a hub as this device would use it, and says of each thing whether it is right. Asks for no lease. */
export async function checkHub(
  of: Omit<HubCoordinatorOptions, 'name' | 'known'>,
  { wallMs = () => Date.now() }: { readonly wallMs?: () => number } = {},
): Promise<readonly HubCheck[]> {
  const checks: HubCheck[] = [];
  await look(of, wallMs, (check) => checks.push(check));
  const rest = IDS.filter((id) => !checks.some((check) => check.id === id));
  return [...checks, ...rest.map((id) => ({ id, sentence: NOT_LOOKED[id], isOk: null, wayOut: '' }))];
}

const NOT_LOOKED: Readonly<Record<HubCheck['id'], string>> = {
  reachable: 'Whether the hub can be reached was not looked at.',
  certificate: 'Whether it is the right machine was not looked at.',
  paired: 'Whether this device is paired was not looked at.',
  allowed: 'Whether this device was removed was not looked at.',
  clock: 'The clocks were not compared.',
  'round-trip': 'The time of an answer was not measured.',
};

type Report = (check: HubCheck) => void;

async function look(
  of: Omit<HubCoordinatorOptions, 'name' | 'known'>,
  wallMs: () => number,
  report: Report,
): Promise<void> {
  const place = { addresses: of.addresses, port: of.port, fingerprint: fingerprintOf(of.certificatePem) };
  const reached = await reach(place);
  const where = `${of.addresses.join(', ')}, port ${of.port}`;
  if (reached === 'nobody') {
    const wayOut = 'Look that the hub runs, that both are in one network, and that no firewall is in between.';
    return report({ id: 'reachable', sentence: `Nobody answers at ${where}.`, isOk: false, wayOut });
  }
  report({ id: 'reachable', sentence: `Somebody answers at ${where}.`, isOk: true, wayOut: '' });
  if (reached === 'other') {
    const sentence = 'It is not the hub that this device was paired with, or the hub has a new certificate.';
    const wayOut = 'Nothing was sent to it. If the hub was set up anew, pair this device again.';
    return report({ id: 'certificate', sentence, isOk: false, wayOut });
  }
  report({ id: 'certificate', sentence: 'It is the hub that this device was paired with.', isOk: true, wayOut: '' });
  const connections = new HubConnections(place);
  try {
    await lookInside(new HubSignIn(connections, { ...of, ...place }), wallMs, report);
  } finally {
    connections.close();
  }
}

/** Asks every address, so that a right one counts wherever it stands in the list. */
async function reach(place: HubPlace): Promise<'right' | 'other' | 'nobody'> {
  let found: 'other' | 'nobody' = 'nobody';
  for (const address of place.addresses) {
    try {
      (await connectPinned(address, place)).socket.destroy();
      return 'right';
    } catch (cause) {
      if (cause instanceof WrongCertificateError) found = 'other';
    }
  }
  return found;
}

async function lookInside(signIn: HubSignIn, wallMs: () => number, report: Report): Promise<void> {
  const call = { method: 'GET', path: HUB_PATHS.devices, body: '', limitMs: CALL_LIMIT_MS } as const;
  try {
    await signIn.call(call);
  } catch (cause) {
    const code = cause instanceof HubRefusal ? cause.code : null;
    const isRemoved = code === 'device-removed';
    if (isRemoved) report({ id: 'paired', sentence: 'This device was paired once.', isOk: true, wayOut: '' });
    return report({
      id: isRemoved ? 'allowed' : 'paired',
      sentence: cause instanceof HubRefusal ? cause.message : hubFailureSentence(cause),
      isOk: false,
      wayOut: code === null ? 'Try again in a moment.' : 'Pair this device with the hub again.',
    });
  }
  report({ id: 'paired', sentence: 'The hub knows this device.', isOk: true, wayOut: '' });
  report({ id: 'allowed', sentence: 'This device was not removed.', isOk: true, wayOut: '' });
  const apartMs = Math.abs((signIn.signedIn?.wallMs ?? wallMs()) - wallMs());
  report({
    id: 'clock',
    sentence:
      apartMs <= CLOCK_MS
        ? 'The clocks of both agree.'
        : `The clocks of both are ${Math.round(apartMs / 1_000)} seconds apart. Leases do not go by them; shown times do.`,
    isOk: apartMs <= CLOCK_MS,
    wayOut: apartMs <= CLOCK_MS ? '' : 'Let both machines set their clocks from the network.',
  });
  const sentMs = performance.now();
  await signIn.call(call);
  const tookMs = performance.now() - sentMs;
  report({
    id: 'round-trip',
    sentence: `An answer takes ${tookMs < 10 ? tookMs.toFixed(1) : Math.round(tookMs)} ms.`,
    isOk: tookMs <= SLOW_MS,
    wayOut:
      tookMs <= SLOW_MS ? '' : 'It works, but each step waits that long. A hub nearer by, or a better network, helps.',
  });
}
