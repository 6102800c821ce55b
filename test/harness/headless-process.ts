import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { plainEnvironment } from './plain-environment.ts';

/** The headless host as `npm start` runs it without a display, in a process of its own. */
export class HeadlessProcess {
  readonly child: ChildProcess;
  readonly link: string;
  readonly exited: Promise<void>;

  private constructor(child: ChildProcess, link: string) {
    this.child = child;
    this.link = link;
    this.exited = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  /** Starts it on a profile and waits for the one-time link. */
  static async start(profileFolder: string, more: Readonly<Record<string, string>> = {}): Promise<HeadlessProcess> {
    const entry = fileURLToPath(new URL('../../src/main/headless.ts', import.meta.url));
    const env = { ...plainEnvironment(), FENCEPOST_PROFILE: profileFolder, FENCEPOST_PORT: '0', ...more };
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const link = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString('utf8');
        const found = /Open (http:\S+)/u.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
      child.once('exit', (code) => reject(new Error(`The headless host ended with ${String(code)}: ${text}`)));
    });
    return new HeadlessProcess(child, link);
  }

  get origin(): string {
    return new URL(this.link).origin;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    this.child.kill(signal);
    await this.exited;
  }
}
