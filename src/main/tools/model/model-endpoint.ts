import type { ModelEndpoint, StrategyScope } from '../../../shared/contract/scope.ts';
import type { Result } from '../../../shared/lib/result.ts';
import { err, ok } from '../../../shared/lib/result.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { anthropicProvider } from './anthropic-provider.ts';
import type { ModelProvider } from './model-provider.ts';
import { openaiProvider } from './openai-provider.ts';

/** A granted model with the address that it is asked at. */
export interface ResolvedEndpoint {
  readonly endpoint: ModelEndpoint;
  readonly provider: ModelProvider;
  /** Where the protocol begins, without a slash at its end, such as `https://api.openai.com/v1`. */
  readonly baseUrl: string;
  /** Where the request goes. */
  readonly requestUrl: URL;
}

const PROVIDERS: Readonly<Record<ModelEndpoint['provider'], ModelProvider>> = {
  openai: openaiProvider,
  anthropic: anthropicProvider,
};

/**
 * Looks a model up in the scope. An address that stands there was granted with the model: its host needs no entry of
 * its own among the hosts, and one that stands among the hosts grants no model. The error is a sentence.
 */
export function endpointOf(name: string, scope: StrategyScope): Result<ResolvedEndpoint, string> {
  // `constructor` is a name that a model may have, and one that every object answers to.
  const endpoint = Object.hasOwn(scope.models, name) ? scope.models[name] : undefined;
  if (endpoint === undefined) return err(`This agent may not ask a model named "${visibleText(name)}".`);
  const provider = PROVIDERS[endpoint.provider];
  if (endpoint.baseUrl === undefined && endpoint.secret === undefined) {
    return err(`The model "${name}" needs the name of the secret that holds its key.`);
  }
  const address = checkedAddress(endpoint.baseUrl ?? provider.ownBaseUrl);
  if (!address.ok) return address;
  const baseUrl = address.value.href.replace(/\/+$/u, '');
  return ok({ endpoint, provider, baseUrl, requestUrl: new URL(`${baseUrl}${provider.path}`) });
}

function checkedAddress(text: string): Result<URL, string> {
  const shown = `"${visibleText(text)}"`;
  if (visibleText(text) !== text || !text.isWellFormed() || /\s/u.test(text)) {
    return err(`${shown} holds hidden characters, which the address of a model may not.`);
  }
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) return err(`${shown} is not a URL.`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return err(`${shown} is neither http nor https.`);
  if (url.username !== '' || url.password !== '') {
    return err('The address of a model may not carry a name or a password. Name a secret instead.');
  }
  // The path of the protocol is put behind the address, where a query or a fragment would swallow it.
  if (url.search !== '' || url.hash !== '') return err(`${shown} may not hold "?" or "#".`);
  return ok(url);
}
