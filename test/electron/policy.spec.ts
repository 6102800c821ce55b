import { expect, test } from '@playwright/test';
import { launchApp } from '../harness/electron-launch.ts';
import type { LaunchedApp } from '../harness/electron-launch.ts';

// Item 7 of Electron's security checklist: what the content security policy blocks in the built application.

let launched: LaunchedApp;

test.beforeAll(async () => {
  launched = await launchApp();
  await launched.window.waitForURL('app://fencepost/**');
});
test.afterAll(() => launched.close());

/** What the page saw the policy block while `attempt` ran. */
async function violations(attempt: string): Promise<string[]> {
  return launched.window.evaluate(async (source) => {
    const seen: string[] = [];
    const note = (event: SecurityPolicyViolationEvent) => seen.push(event.effectiveDirective);
    document.addEventListener('securitypolicyviolation', note);
    const attempts: Record<string, () => unknown> = {
      'remote image': () => document.body.append(Object.assign(new Image(), { src: 'https://example.invalid/x.png' })),
      'inline style': () =>
        document.head.append(Object.assign(document.createElement('style'), { textContent: 'p{}' })),
      'remote fetch': () => fetch('https://example.invalid/').catch(() => null),
      'plain socket': () => new WebSocket('ws://127.0.0.1:9/'),
      frame: () =>
        document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://example.invalid/' })),
      object: () =>
        document.body.append(Object.assign(document.createElement('object'), { data: 'https://example.invalid/' })),
      base: () =>
        document.head.append(Object.assign(document.createElement('base'), { href: 'https://example.invalid/' })),
      form: () => {
        const form = Object.assign(document.createElement('form'), {
          action: 'https://example.invalid/',
          method: 'post',
        });
        document.body.append(form);
        form.submit();
      },
    };
    try {
      await attempts[source]?.();
    } catch (cause) {
      seen.push(String(cause));
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
    document.removeEventListener('securitypolicyviolation', note);
    return seen;
  }, attempt);
}

test('7: the window itself needs no hole in the policy, on any page', async () => {
  const page = launched.window;
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content Security Policy|Trusted/u.test(message.text()))
      complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.reload();
  // The first start has screens of its own; they are looked at before they are left for good.
  await page.locator('h1').first().waitFor();
  await page.evaluate(() => window.fencepost?.call('settings.set', { isOnboarded: true }));
  await page.reload();
  let opened = 0;
  for (const place of [
    'needs',
    'runs',
    'agents',
    'refusals',
    'leases',
    'activity',
    'settings',
    'runs/no-such-run',
    'no-such-page',
  ]) {
    await page.evaluate((hash) => (location.hash = `#/${hash}`), place);
    await page.locator('main, [role="main"], h1').first().waitFor();
    // Whatever opens something is opened: menus, dialogs and tabs bring styles and elements of their own.
    const openers = page.locator('[aria-haspopup]:visible, [role="tab"]:visible, main button:visible:enabled');
    for (const opener of await openers.all()) {
      await opener.click({ timeout: 500 }).then(
        () => (opened += 1),
        () => null,
      );
      await page.keyboard.press('Escape');
    }
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.press('Escape');
  }
  expect(complaints).toEqual([]);
  expect(opened).toBeGreaterThan(10);
});

test.describe('7: the policy blocks', () => {
  const blocked = {
    'remote image': 'img-src',
    'inline style': 'style-src-elem',
    'remote fetch': 'connect-src',
    'plain socket': 'connect-src',
    frame: 'frame-src',
    object: 'require-trusted-types-for',
    base: 'base-uri',
    form: 'form-action',
  };
  for (const [attempt, directive] of Object.entries(blocked)) {
    test(attempt, async () => expect(await violations(attempt)).toContain(directive));
  }

  test('scripts from text, however they get in', async () => {
    const ran = await launched.window.evaluate(async () => {
      const marks: string[] = [];
      Object.assign(window, { mark: (text: string) => marks.push(text) });
      const attempts: (() => unknown)[] = [
        () => document.head.append(Object.assign(document.createElement('script'), { textContent: "mark('inline')" })),
        () =>
          document.head.append(
            Object.assign(document.createElement('script'), { src: "data:text/javascript,mark('data')" }),
          ),
        () => (document.body.innerHTML += '<img src="x" onerror="mark(\'handler\')">'),
        () => document.body.insertAdjacentHTML('beforeend', '<svg onload="mark(\'svg\')"></svg>'),
        () => document.body.setAttribute('onclick', "mark('attribute')"),
        () => document.createRange().createContextualFragment("<script>mark('range')</script>"),
        () => document.write("<script>mark('write')</script>"),
        // oxlint-disable-next-line typescript/no-implied-eval -- this is the attempt
        () => new Function("mark('function')")(),
        () => setTimeout("mark('timer')" as unknown as () => void),
      ];
      const refused: number[] = [];
      // In a timer of its own: what the debugger itself evaluates is above the policy.
      await Promise.all(
        attempts.map(
          (attempt, at) =>
            new Promise<void>((resolve) => {
              setTimeout(() => {
                try {
                  attempt();
                } catch {
                  refused.push(at);
                }
                resolve();
              });
            }),
        ),
      );
      document.body.click();
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { marks, refused: refused.length };
    });
    expect(ran.marks).toEqual([]);
    expect(ran.refused).toBeGreaterThanOrEqual(7);
  });
});
