import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a desktop says about icons; `silent` if nobody could be asked. */
export type TrayAnswer = 'yes' | 'no' | 'silent';

/** How long a desktop has to answer, ms. */
const ANSWER_LIMIT_MS = 1_500;
/** At sign-in the panel may come up after this program: how often it is asked again, and after how long, ms. */
const LOGIN_ASKS = 10;
const LOGIN_ASK_EVERY_MS = 500;
/** Who shows the icons of programs on a Linux desktop; plain GNOME has nobody. */
const WATCHER = 'org.kde.StatusNotifierWatcher';
const BUS = 'org.freedesktop.DBus';
const BUS_PATH = '/org/freedesktop/DBus';

/** The same question in two programs: one comes with GTK, the other with systemd. */
const QUESTIONS: readonly (readonly [program: string, args: readonly string[]])[] = [
  [
    'gdbus',
    ['call', '--session', '--dest', BUS, '--object-path', BUS_PATH, '--method', `${BUS}.NameHasOwner`, WATCHER],
  ],
  ['busctl', ['--user', 'call', BUS, BUS_PATH, BUS, 'NameHasOwner', 's', WATCHER]],
];

/** Whether this desktop has a place for an icon. In doubt it has none: then closing the window leaves nothing behind. */
export async function hasTrayPlace(platform: NodeJS.Platform, isLoginStart: boolean): Promise<boolean> {
  if (platform !== 'linux') return true;
  return waitForTray(askDesktop, { asks: isLoginStart ? LOGIN_ASKS : 1, everyMs: LOGIN_ASK_EVERY_MS });
}

/** Asks until there is a place, or often enough. A desktop that cannot be asked is not asked again. */
export async function waitForTray(
  ask: () => Promise<TrayAnswer>,
  of: { readonly asks: number; readonly everyMs: number },
): Promise<boolean> {
  const answer = await ask();
  if (answer !== 'no' || of.asks <= 1) return answer === 'yes';
  await sleep(of.everyMs);
  return waitForTray(ask, { ...of, asks: of.asks - 1 });
}

/** Reads what either program prints: `(true,)` or `b true`. */
export function readTrayAnswer(printed: string): TrayAnswer {
  const [, word] = /^(?:\(|b )(true|false)\b/u.exec(printed.trim()) ?? [];
  if (word === undefined) return 'silent';
  return word === 'true' ? 'yes' : 'no';
}

async function askDesktop(): Promise<TrayAnswer> {
  for (const [program, args] of QUESTIONS) {
    const answer = await print(program, args);
    if (answer !== 'silent') return answer;
  }
  return 'silent';
}

function print(program: string, args: readonly string[]): Promise<TrayAnswer> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: ANSWER_LIMIT_MS }, (error, printed) =>
      resolve(error === null ? readTrayAnswer(printed) : 'silent'),
    );
  });
}
