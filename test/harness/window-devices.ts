import type {
  CoordinatorCheck,
  CoordinatorView,
  DeviceRow,
  DevicesView,
  InvitationView,
  JoiningView,
  MoveView,
} from '../../src/shared/contract/coordinator-views.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const FINGERPRINT = '7c:1f:a0:93:5e:d2:44:0b:8e:61:f7:2a:c9:35:18:be:04:d7:6a:92:3f:51:0c:e8:b6:7d:24:9b:1e:f3:80:c5';

/** The words that both screens of the fixture show. */
export const WORDS = ['harbor', 'lemon', 'orbit', 'velvet', 'cactus', 'ribbon'] as const;
/** The link of the fixture's invitation. */
export const LINK = `fencepost://pair?hub=192.168.1.20:7411&pin=${FINGERPRINT.replaceAll(':', '')}&code=K7QD-4MXA`;
/** Another device's name with everything that a name can do to a screen; 60 characters. */
export const HOSTILE_NAME = 'Work\u202EgnipaaL\u200B-\u05D0\u05D1\u05D2 with a name that goes on until it is sixty';

/** A device of the list. */
export function deviceRow(name: string, change: Partial<DeviceRow> = {}): DeviceRow {
  return {
    deviceId: `device-${name}`,
    name,
    isThis: false,
    isHub: false,
    isOnline: true,
    lastSeenAtMs: null,
    pairedAtMs: null,
    version: '0.1.0',
    agentNames: [],
    canRename: true,
    canRevoke: true,
    revokeSentence: `${name} may act for nothing now. Nothing waits for it.`,
    ...change,
  };
}

/** Five devices around a hub on this one. */
export function devicesView(nowMs: number, change: Partial<DevicesView> = {}): DevicesView {
  const paired = nowMs - 9 * DAY;
  return {
    sequence: 1,
    kind: 'hub-here',
    sentence: 'This Mac is the hub. 3 of 5 devices are connected, and each agent is acted for by exactly one of them.',
    devices: [
      deviceRow('This Mac', {
        isThis: true,
        isHub: true,
        canRevoke: false,
        agentNames: ['Morning report', 'Site keeper', 'Photo shelf', 'Support digest'],
      }),
      deviceRow('Work-PC', {
        pairedAtMs: paired,
        lastSeenAtMs: nowMs - 2_000,
        agentNames: ['Bill payer', 'Invoice chaser', 'Price watch'],
        revokeSentence:
          'Work-PC may act for 3 agents now. They are held back at once; once their time has run out, another device goes on with them.',
      }),
      deviceRow('Attic', {
        pairedAtMs: paired,
        lastSeenAtMs: nowMs - 1_000,
        agentNames: ['Archivist', 'Night backup'],
      }),
      deviceRow('Travel-Laptop', {
        isOnline: false,
        pairedAtMs: paired + DAY,
        lastSeenAtMs: nowMs - 42 * MINUTE,
        version: '0.0.9',
      }),
      deviceRow(HOSTILE_NAME, { isOnline: false, pairedAtMs: nowMs - 3 * MINUTE }),
    ],
    invitation: null,
    joining: null,
    ...change,
  };
}

/** Only this device. */
export function aloneView(): DevicesView {
  const own = deviceRow('This Mac', { isThis: true, canRevoke: false, agentNames: ['Morning report'] });
  return {
    sequence: 1,
    kind: 'none',
    sentence: 'This Mac keeps the right to act itself.',
    devices: [own],
    invitation: null,
    joining: null,
  };
}

/** An invitation; its code is a pattern of the size of a real one. */
export function invitationView(nowMs: number, change: Partial<InvitationView> = {}): InvitationView {
  const size = 41;
  const isFinder = (x: number, y: number) => {
    const [dx, dy] = [Math.min(x, size - 1 - x), Math.min(y, size - 1 - y)];
    if (dx > 7 || dy > 7 || (x > size / 2 && y > size / 2)) return null;
    const ring = Math.max(Math.abs(dx - 3), Math.abs(dy - 3));
    return ring === 3 || ring <= 1;
  };
  const qr = Array.from({ length: size }, (_, y) =>
    Array.from({ length: size }, (__, x) => ((isFinder(x, y) ?? (x * 7 + y * 13 + x * y) % 5 < 2) ? '1' : '0')).join(
      '',
    ),
  );
  return {
    invitationId: 'invitation-1',
    link: LINK,
    qr,
    expiresAtMs: nowMs + 2 * MINUTE,
    state: 'open',
    deviceName: '',
    words: [],
    sentence: '',
    ...change,
  };
}

/** Pairing from the new device's side. */
export function joiningView(state: JoiningView['state'], change: Partial<JoiningView> = {}): JoiningView {
  return { hubName: 'Attic', state, words: state === 'compares' ? WORDS : [], sentence: '', wayOut: '', ...change };
}

/** Where the right to act is kept: the hub on this device. */
export function coordinatorView(change: Partial<CoordinatorView> = {}): CoordinatorView {
  return {
    sequence: 1,
    choice: { kind: 'this-hub' },
    name: 'The hub on This Mac',
    state: 'ready',
    sentence: 'Devices that are paired with it share the right to act while this one is awake.',
    answeredMs: 0.4,
    coordinatorId: '0198c1f2-7d4e-7a10-9c55-52a1d8e6f003',
    incarnation: '3',
    warning: '',
    canConfirmRestore: false,
    move: null,
    hub: {
      isRunning: true,
      port: 7_411,
      addresses: ['192.168.1.20:7411', '[fd00::1c2b]:7411'],
      fingerprint: FINGERPRINT,
      trouble: '',
    },
    pairedHub: null,
    ...change,
  };
}

/** In this device's own record, with the hub off. */
export function embeddedView(change: Partial<CoordinatorView> = {}): CoordinatorView {
  return coordinatorView({
    choice: { kind: 'embedded' },
    name: 'This device, in its own record',
    sentence: 'No other device takes part.',
    hub: { isRunning: false, port: 0, addresses: [], fingerprint: '', trouble: '' },
    ...change,
  });
}

/** A paired hub, as seen from the device that joined it. */
export const PAIRED_HUB = { name: 'Attic', addresses: ['192.168.1.20:7411'], fingerprint: FINGERPRINT } as const;

/** What a test of PostgreSQL finds when the password is wrong. */
export const FAILED_CHECKS: readonly CoordinatorCheck[] = [
  { id: 'reachable', state: 'ok', sentence: 'db.example:5432 answers, in 4 ms.', wayOut: '' },
  {
    id: 'tls',
    state: 'ok',
    sentence: 'The connection is encrypted, and the certificate is for db.example.',
    wayOut: '',
  },
  {
    id: 'sign-in',
    state: 'failed',
    sentence: 'The server turned away the password of “fencepost”.',
    wayOut: 'Enter it again, or ask whoever runs the database for a new one.',
  },
  { id: 'version', state: 'skipped', sentence: 'Its version was not looked at.', wayOut: '' },
  { id: 'tables', state: 'skipped', sentence: 'Its tables were not looked at.', wayOut: '' },
];

/** The same once the password is right; the server is old. */
export const PASSED_CHECKS: readonly CoordinatorCheck[] = [
  ...FAILED_CHECKS.slice(0, 2),
  { id: 'sign-in', state: 'ok', sentence: '“fencepost” is signed in.', wayOut: '' },
  {
    id: 'version',
    state: 'warning',
    sentence: 'It is PostgreSQL 13, which gets no more corrections.',
    wayOut: 'Bring it up to a newer version when you can.',
  },
  { id: 'tables', state: 'ok', sentence: 'Its tables are there, and the rights fit.', wayOut: '' },
];

/** A move to PostgreSQL, half way. */
export function moveView(state: MoveView['state'] = 'running'): MoveView {
  const agent = (agentName: string, at: MoveView['agents'][number]['state'], sentence: string) => ({
    agentId: agentName,
    agentName,
    state: state === 'done' ? ('moved' as const) : at,
    sentence: state === 'done' ? 'Its right to act is kept there now.' : sentence,
  });
  return {
    toName: 'PostgreSQL (db.example)',
    state,
    sentence:
      state === 'done' ? 'Every agent is there. Nothing was sent.' : 'Nothing is sent for an agent while it moves.',
    agents: [
      agent('Morning report', 'moved', 'Its right to act is kept there now.'),
      agent('Site keeper', 'moved', 'Its right to act is kept there now.'),
      agent('Photo shelf', 'drains', 'Moving photo 141 of 212 is finished first.'),
      agent('Bill payer', 'held-elsewhere', 'Work-PC may act for it. It is asked to let go.'),
      agent('Support digest', 'waits', 'Its turn comes.'),
    ],
  };
}
