import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import type { StrategyScope } from '../../../shared/contract/scope.ts';
import { createSecrets } from '../../secrets/create-secrets.ts';
import type { SecretStore } from '../../secrets/secret-store.ts';
import type { McpCall } from '../mcp/mcp-tool.ts';
import { SignIns } from '../mcp/sign-in/sign-ins.ts';
import type { SignInFacts } from '../mcp/sign-in/sign-ins.ts';
import type { PreparedCall, ToolRun } from '../tool.ts';
import { followPage, startSignInServer } from './sign-in-server.ts';
import type { SignInServer } from './sign-in-server.ts';
import { context, createBench } from './tool-bench.ts';
import type { ToolBench } from './tool-bench.ts';

const act: McpCall = { tool: 'mcp.call', server: 'private', name: 'act', arguments: {} };

/** A server that asks for a sign-in, and the tools of a device that can sign in there: real files, real requests. */
export class SignInBench {
  readonly server: SignInServer;
  readonly store: SecretStore;
  signIns: SignIns;
  tools: ToolBench;
  scope: StrategyScope;
  nowMs = Date.now();
  readonly #file: string;

  constructor(server: SignInServer) {
    this.server = server;
    this.#file = path.join(tmpdir(), `fencepost-sign-ins-${randomUUID()}.json`);
    const file = this.#file;
    this.store = createSecrets({ file, keychain: null, withoutKeychain: 'plain-file', fromEnvironment: new Map() });
    this.signIns = new SignIns({ store: this.store, nowMs: () => this.nowMs });
    this.tools = this.#tools();
    this.scope = { ...this.tools.scope, servers: { private: { url: server.address, effects: {} } } };
  }

  #tools(): ToolBench {
    return createBench({ hosts: [new URL(this.server.origin).host] }, undefined, this.signIns.kept);
  }

  /** As at a start of the host: nothing is known but what is kept. */
  async startAgain(limitMs?: number): Promise<void> {
    await this.#stop();
    const limit = limitMs === undefined ? {} : { limitMs };
    this.signIns = new SignIns({ store: this.store, nowMs: () => this.nowMs, ...limit });
    this.tools = this.#tools();
  }

  async #stop(): Promise<void> {
    this.signIns.close();
    await this.tools.tools.close();
    this.tools.remove();
  }

  async close(): Promise<void> {
    await this.#stop();
    await this.server.close();
    rmSync(this.#file, { force: true });
  }

  /** The address of the page to sign in at. */
  async begin(): Promise<string> {
    const begun = await this.signIns.begin(this.server.address);
    if (!begun.ok) throw new Error(begun.error.message);
    return begun.value.page.href;
  }

  /** As a disk does. */
  damageFile(): void {
    writeFileSync(this.#file, '{');
  }

  async signIn(): Promise<void> {
    const shown = await followPage(await this.begin());
    expect(shown.text).toContain('Signed in');
  }

  async refusal(): Promise<string> {
    const prepared = await this.tools.tools.prepare(act, undefined, this.scope);
    return prepared.ok ? 'It was allowed.' : `${prepared.error.message} ${prepared.error.wayOut}`;
  }

  async prepare(): Promise<PreparedCall> {
    const prepared = await this.tools.tools.prepare(act, undefined, this.scope);
    if (!prepared.ok) throw new Error(prepared.error.message);
    return prepared.value;
  }

  async perform(prepared: PreparedCall): Promise<ToolRun> {
    return await this.tools.tools.perform(prepared, context());
  }

  async run(): Promise<ToolRun> {
    return await this.perform(await this.prepare());
  }

  async facts(): Promise<SignInFacts> {
    return await this.signIns.facts(this.server.address);
  }

  /** How often the authorization server was asked for tokens. */
  tokenRequests(): number {
    return this.server.seen.filter((each) => each === 'POST /token').length;
  }
}

/** Gives each test a bench of its own. */
export function useSignInBench(): () => SignInBench {
  let bench: SignInBench;
  beforeEach(async () => {
    bench = new SignInBench(await startSignInServer());
  });
  afterEach(() => bench.close());
  return () => bench;
}
