import { ModelServer } from '../../../../../test/harness/model-server.ts';
import type { ModelEndpoint } from '../../../../shared/contract/scope.ts';
import { NO_SECRETS } from '../../../secrets/no-secrets.ts';
import { context, createBench } from '../../testing/tool-bench.ts';
import type { ToolBench } from '../../testing/tool-bench.ts';
import type { AttemptContext, ToolRun } from '../../tool.ts';
import type { ModelAnswer } from '../collect-answer.ts';
import type { ModelCall } from '../model-provider.ts';

/** The key of the bench; it may stand in the one header of a request and nowhere else. */
export const KEY = 'sk-live-4f9c0d7be2a14c55';

/** A tool bench with an endpoint of models behind it, which stands in the scope as `mind`. */
export interface ModelBench {
  readonly server: ModelServer;
  readonly tools: ToolBench;
  ask(call?: Partial<ModelCall>, circumstances?: Partial<AttemptContext>): Promise<ToolRun>;
  /** Asks and expects an answer. */
  answer(call?: Partial<ModelCall>): Promise<ModelAnswer>;
  close(): Promise<void>;
}

/** One short question. */
export function question(more: Partial<ModelCall> = {}): ModelCall {
  return {
    tool: 'model.call',
    model: 'mind',
    system: 'Be brief.',
    messages: [{ role: 'user', text: 'What is to be done?' }],
    tools: [],
    maxOutputTokens: 100,
    timeoutMs: 20_000,
    ...more,
  };
}

/** Starts an endpoint and grants it. */
export async function createModelBench(
  provider: ModelEndpoint['provider'],
  more: Partial<ModelEndpoint> = {},
): Promise<ModelBench> {
  const server = await ModelServer.start();
  const baseUrl = provider === 'openai' ? server.openaiBaseUrl : server.anthropicBaseUrl;
  const mind = { provider, baseUrl, model: 'thinker-2', secret: 'model-key', ...more };
  const read = (name: string) => Promise.resolve(name === 'model-key' ? KEY : null);
  const tools = createBench({ models: { mind } }, { ...NO_SECRETS, read });
  const ask: ModelBench['ask'] = async (call, circumstances) => {
    const prepared = await tools.prepare(question(call));
    return await tools.tools.perform(prepared, { ...context(), ...circumstances });
  };
  return {
    server,
    tools,
    ask,
    answer: async (call) => {
      const run = await ask(call);
      if (run.outcome.kind !== 'success') throw new Error(`${JSON.stringify(run.outcome)} ${run.summary}`);
      return run.output as unknown as ModelAnswer;
    },
    close: async () => {
      tools.remove();
      await server.close();
    },
  };
}
