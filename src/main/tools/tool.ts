import type { StrategyScope } from '../../shared/contract/scope.ts';
import type { EffectDeclaration, ModelTool, ToolCall, ToolName } from '../../shared/contract/tool-calls.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import type { EffectKind } from '../../shared/core/effect/effect-kind.ts';
import type { EffectOutcome } from '../../shared/core/effect/effect-outcome.ts';
import type { CommandKind, DispatchRecipient } from '../../shared/core/intent/dispatch-intent.ts';
import type { Json } from '../../shared/lib/canonical-json.ts';
import type { Result } from '../../shared/lib/result.ts';
import type { SecretStore } from '../secrets/secret-store.ts';
import type { KeptSignIns } from './mcp/sign-in/kept-sign-ins.ts';

/** A call that was checked against its scope and can be shown, digested, approved and performed. Plain JSON. */
export interface PreparedCall {
  readonly tool: ToolName;
  /** The call with its templates filled in. */
  readonly call: ToolCall;
  /** Plain words, at most 80 characters, hidden characters escaped: `Write report.md`. */
  readonly title: string;
  /** What it acts on: a path, a URL or a program with its folder. */
  readonly target: string;
  readonly recipient: DispatchRecipient;
  readonly commandKind: CommandKind;
  readonly effectKind: EffectKind;
  /** How long the target recognises the same key, ms; `null` if nobody declared it. */
  readonly dedupeWindowMs: number | null;
  readonly isDestructive: boolean;
  readonly undo: ToolCall | null;
  /** A read-only look that was declared; `null` where the adapter itself may know how to look. */
  readonly probe: ToolCall | null;
  /** Canonical JSON of exactly what leaves: this is shown, digested and approved. */
  readonly inputText: string;
  /** The scope that it was checked against; checked again when it is performed. */
  readonly scope: StrategyScope;
  /**
   * What the target was before, such as the digest of a file. It is a fact of the moment of preparing: keep it with the
   * intent, or take it off with `forgetObservation` when the call is prepared again after it may have happened.
   */
  readonly observedBefore?: Json;
}

/** What performing a call came to. */
export interface ToolRun {
  readonly outcome: EffectOutcome;
  /** What later steps see: `{exitCode, stdout, stderr}`, `{status, headers, body}` or `{path, bytes}`. */
  readonly output: Json;
  /** One sentence for a person. */
  readonly summary: string;
}

/**
 * The secrets of one call. Every value that is read or hidden here is taken out of the output, the summary and the code
 * of the outcome afterwards, so an adapter does not have to look for them itself.
 */
export interface SecretReader {
  /**
   * The value of a secret. Where there is none, the error is the whole answer of the call: it failed before anything was
   * sent. So read every secret before anything leaves, and hand the error back as it is.
   */
  read(name: string): Promise<Result<string, ToolRun>>;
  /** Hides a value that an earlier call read and that this one may repeat, such as the key of a server that still runs. */
  hide(name: string, value: string): void;
  /** A text without the values, for what leaves the adapter before the call has ended, such as progress. */
  redact(text: string): string;
}

/** The circumstances of one attempt, as the host knows them. */
export interface AttemptContext {
  /** Goes out as `Idempotency-Key` and `FENCEPOST_EFFECT_ID`; the same on every attempt at one effect. */
  readonly effectId: string;
  /** Goes out as `Fencepost-Epoch` and `FENCEPOST_EPOCH`. */
  readonly epoch: number;
  readonly signal: AbortSignal;
  /**
   * Takes what a call has to tell while it runs, such as pieces of an answer: untrusted text without secrets, at most
   * every 100 ms. It is shown and never recorded, and must not throw.
   */
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** The circumstances of one attempt, as an adapter gets them. */
export interface ToolContext extends AttemptContext {
  readonly secrets: SecretReader;
}

/** What a read-only look found. `silent` is an honest *I do not know*. */
export interface ProbeAnswer {
  readonly answer: 'happened' | 'did-not-happen' | 'silent';
  readonly summary: string;
}

/** What every kind of tool has to offer. Nothing here throws for an expected failure. */
export interface ToolAdapter<Call extends ToolCall> {
  readonly tool: Call['tool'];
  /** Checks a filled-in call against a filled-in scope; reads at most, and leaves no trace. */
  prepare(
    call: Call,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>>;
  perform(prepared: PreparedCall, context: ToolContext): Promise<ToolRun>;
  /** Looks, read-only, whether the call happened. */
  verify(prepared: PreparedCall, context: ToolContext): Promise<ProbeAnswer>;
}

/** All tools behind one door: it finds the adapter by the name of the tool. */
export interface Tools {
  /** As `ToolAdapter.prepare`; call, declaration and scope have their templates filled in already. */
  prepare(
    call: ToolCall,
    declaration: EffectDeclaration | undefined,
    scope: StrategyScope,
  ): Promise<Result<PreparedCall, Problem>>;
  perform(prepared: PreparedCall, context: AttemptContext): Promise<ToolRun>;
  /** Runs the declared probe, or asks the adapter where there is none. */
  verify(prepared: PreparedCall, context: AttemptContext): Promise<ProbeAnswer>;
  /** The tools of a tool server in the scope, for a model. A read, for which the server is started; its words are untrusted. */
  describeTools(server: string, scope: StrategyScope): Promise<Result<readonly ModelTool[], Problem>>;
  /** Ends every program that outlives a call, such as tool servers. Nothing can be prepared or performed afterwards. */
  close(): Promise<void>;
}

/** What the tools need from the host. */
export interface ToolsOptions {
  /** Folders that no tool may touch, whatever was granted: the profile, with its journal, settings and keys. */
  readonly protectedFolders: readonly string[];
  /** Where the allow-listed variables of programs come from; the process's own by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** What a leading `~/` in a path means; the home folder of the user by default. */
  readonly homeFolder?: string;
  /** Where scripts stand while they run, in folders of their own; the temporary folder of the system by default. */
  readonly scriptFolder?: string;
  /** Where secrets are looked up by name; without it there are none. */
  readonly secrets?: SecretStore;
  /** Where this device is signed in; without it nobody can sign in at a tool server. */
  readonly signIns?: KeptSignIns;
}

/** The longest title of a call, in characters. */
export const TITLE_LIMIT = 80;
/** The most that is kept of one output stream or answer, in bytes. */
export const OUTPUT_LIMIT_BYTES = 5 * 1024 * 1024;

/** A call that was prepared after it may have happened no longer knows what was there before. */
export function forgetObservation(prepared: PreparedCall): PreparedCall {
  const { observedBefore: _, ...rest } = prepared;
  return rest;
}
