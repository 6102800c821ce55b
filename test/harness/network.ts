import { execFile, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { networkInterfaces } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Begins the name of every namespace; behind it stands the process that made it. */
const PREFIX = 'fencepost-';
/** Where the switches are. */
const SWITCH = 'switch';

/** Whether this machine lets the tests make networks. Where it does not, one line says so and their suites are skipped. */
export const canMakeNetworks = tryOnce();
if (!canMakeNetworks)
  process.stdout.write('No networks can be made here (Linux, root and iproute2): tests that cut them are skipped.\n');

function tryOnce(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const name = `${PREFIX}${process.pid}-probe`;
  const succeeds = (...args: string[]): boolean => spawnSync('ip', args).status === 0;
  try {
    return (
      succeeds('netns', 'add', name) &&
      succeeds('netns', 'exec', name, 'bridge', 'link') &&
      succeeds('-n', name, 'link', 'add', 'switch0', 'type', 'bridge') &&
      succeeds('-n', name, 'link', 'add', 'one', 'type', 'veth', 'peer', 'name', 'other')
    );
  } finally {
    succeeds('netns', 'delete', name);
  }
}

const PLUG_TRIES = 50;
const PLUG_PAUSE_MS = 20;

/** `front` is where clients and servers meet, and the tests too; `back` is where servers meet among themselves. */
export type Lan = 'front' | 'back';
/**
 * `unplugged`: the machine sees that its cable is out. `silent`: the switch drops whatever comes and goes, and nobody is told.
 */
export type Cut = 'unplugged' | 'silent';

/** Machines in namespaces of their own, each with a cable to a switch that can be cut and healed; both directions at once. */
export class Network {
  static #made = 0;
  readonly #machines: readonly string[];
  readonly #withBack: readonly string[];
  readonly #subnet: number;
  readonly #id: string;
  readonly #onExit = (): void => {
    for (const name of [...this.#machines, SWITCH]) spawnSync('ip', ['netns', 'delete', this.#namespace(name)]);
  };

  private constructor(machines: readonly string[], withBack: readonly string[]) {
    Network.#made += 1;
    this.#id = `${process.pid}-${Network.#made}`;
    this.#machines = machines;
    this.#withBack = withBack;
    this.#subnet = freeSubnet();
  }

  /** All machines are at the front; those of `withBack` have a second cable to each other. */
  static async make(machines: readonly string[], withBack: readonly string[] = []): Promise<Network> {
    await removeLeftOvers();
    const network = new Network(machines, withBack);
    process.once('exit', network.#onExit);
    try {
      await network.#build();
      return network;
    } catch (cause) {
      await network.end();
      throw cause;
    }
  }

  /** The address of a machine; the tests themselves reach those of the front. */
  address(machine: string, lan: Lan = 'front'): string {
    const index = this.#machines.indexOf(machine);
    if (index === -1) throw new Error(`There is no machine ${machine}.`);
    return `198.${lan === 'front' ? 18 : 19}.${this.#subnet}.${index + 2}`;
  }

  /** What a command is put behind, to be run on a machine. It keeps its process id and its rights. */
  within(machine: string): readonly string[] {
    return ['ip', 'netns', 'exec', this.#namespace(machine)];
  }

  async cut(machine: string, { lan = 'front', how = 'silent' }: { lan?: Lan; how?: Cut } = {}): Promise<void> {
    const port = this.#port(machine, lan);
    const at = ['-n', this.#namespace(SWITCH), 'link', 'set', 'dev', port];
    await (how === 'unplugged' ? run('ip', [...at, 'down']) : run('bridge', [...at, 'state', '0']));
  }

  async heal(machine: string, lan: Lan = 'front'): Promise<void> {
    const at = ['-n', this.#namespace(SWITCH), 'link', 'set', 'dev', this.#port(machine, lan)];
    // A port whose cable is just in has no carrier yet, and the switch refuses to forward over it until it has.
    for (let tries = 1; ; tries += 1) {
      await run('ip', [...at, 'up']);
      try {
        await run('bridge', [...at, 'state', '3']);
        return;
      } catch (cause) {
        if (tries === PLUG_TRIES || !String(cause).includes('Network is down')) throw cause;
        await new Promise((resolve) => setTimeout(resolve, PLUG_PAUSE_MS));
      }
    }
  }

  /** Takes it all away. What runs on the machines has to be ended by whoever started it. */
  async end(): Promise<void> {
    process.off('exit', this.#onExit);
    for (const name of [...this.#machines, SWITCH]) {
      await run('ip', ['netns', 'delete', this.#namespace(name)]).catch(() => undefined);
    }
  }

  #namespace(name: string): string {
    return `${PREFIX}${this.#id}-${name}`;
  }

  #port(machine: string, lan: Lan): string {
    return `${lan}${this.#machines.indexOf(machine)}`;
  }

  async #build(): Promise<void> {
    const hub = this.#namespace(SWITCH);
    await run('ip', ['netns', 'add', hub]);
    for (const lan of ['front', 'back']) {
      await run('ip', ['-n', hub, 'link', 'add', `${lan}-lan`, 'type', 'bridge']);
      await run('ip', ['-n', hub, 'link', 'set', `${lan}-lan`, 'up']);
    }
    await this.#joinTests(hub);
    for (const machine of this.#machines) {
      await run('ip', ['netns', 'add', this.#namespace(machine)]);
      await run('ip', ['-n', this.#namespace(machine), 'link', 'set', 'lo', 'up']);
      await this.#plugIn(machine, 'front');
      if (this.#withBack.includes(machine)) await this.#plugIn(machine, 'back');
    }
  }

  /** A cable to where the tests themselves run, which vanishes with the switch. */
  async #joinTests(hub: string): Promise<void> {
    const cable = `fp${this.#id}`;
    await run('ip', ['link', 'add', cable, 'type', 'veth', 'peer', 'name', 'tests', 'netns', hub]);
    await run('ip', ['-n', hub, 'link', 'set', 'tests', 'master', 'front-lan', 'up']);
    await run('ip', ['address', 'add', `198.18.${this.#subnet}.1/24`, 'dev', cable]);
    await run('ip', ['link', 'set', cable, 'up']);
  }

  async #plugIn(machine: string, lan: Lan): Promise<void> {
    const [hub, own, port] = [this.#namespace(SWITCH), this.#namespace(machine), this.#port(machine, lan)];
    await run('ip', ['-n', hub, 'link', 'add', port, 'type', 'veth', 'peer', 'name', lan, 'netns', own]);
    await run('ip', ['-n', hub, 'link', 'set', port, 'master', `${lan}-lan`, 'up']);
    await run('ip', ['-n', own, 'address', 'add', `${this.address(machine, lan)}/24`, 'dev', lan]);
    await run('ip', ['-n', own, 'link', 'set', lan, 'up']);
  }
}

/** 198.18.0.0/15 is set aside for tests of networks (RFC 2544); another run may use a part of it at the same time. */
function freeSubnet(): number {
  const taken = Object.values(networkInterfaces()).flatMap((each) => each?.map(({ address }) => address) ?? []);
  for (;;) {
    const subnet = randomInt(1, 255);
    if (!taken.includes(`198.18.${subnet}.1`)) return subnet;
  }
}

/** Those of a run that was killed. */
async function removeLeftOvers(): Promise<void> {
  const { stdout } = await run('ip', ['netns', 'list']);
  for (const [name = ''] of stdout.split('\n').map((line) => line.split(' '))) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`, 'u').exec(name)?.[1];
    if (pid !== undefined && !isRunning(Number(pid))) await run('ip', ['netns', 'delete', name]).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
