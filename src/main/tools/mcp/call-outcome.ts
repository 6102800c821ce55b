import type { FailureClass } from '../../../shared/core/effect/effect-outcome.ts';
import { assertNever } from '../../../shared/lib/assert-never.ts';
import type { ToolRun } from '../tool.ts';
import { EMPTY_OUTPUT, resultOutput } from './result-output.ts';
import type { CallEnd } from './server-connection.ts';
import { quoted, statusFailure } from './server-failure.ts';

/** JSON-RPC: the method is not there, or its parameters are wrong. Both are found before anything is done. */
const NOTHING_DONE = new Set([-32_601, -32_602]);

/** Tells what a call came to. `name` is the server's, `tool` the tool's; hidden characters escaped. */
export function describeCall(end: CallEnd, of: { readonly name: string; readonly tool: string }): ToolRun {
  const { name, tool } = of;
  switch (end.kind) {
    case 'answered': {
      const output = resultOutput(end.result);
      if (end.result.isError === true) {
        return failed('tool-error', 'permanent', {
          wasSent: true,
          output,
          summary: `${tool} on ${name} reported an error.`,
        });
      }
      return { outcome: { kind: 'success' }, output, summary: `${tool} on ${name} answered.` };
    }
    case 'error-reply': {
      const isUndone = NOTHING_DONE.has(end.code);
      const after = isUndone ? 'It did not act.' : 'What it had done by then is not known to be undone.';
      return failed(`rpc-${Math.abs(end.code)}`, 'permanent', {
        wasSent: !isUndone,
        output: { ...EMPTY_OUTPUT, error: { code: end.code, message: quoted(end.message) } },
        summary: `${name} refused the call of ${tool}: ${quoted(end.message)}. ${after}`,
      });
    }
    case 'status':
      return describeStatus(end, of);
    case 'never-sent': {
      const failureClass = end.code === 'aborted' || end.code === 'closed' ? 'runtime' : 'transient';
      return notSent(`The call of ${tool} never left for ${name} (${end.code}).`, { code: end.code, failureClass });
    }
    case 'no-answer':
      return unclear(
        end.code,
        `The call of ${tool} left for ${name}, and no answer came back that counts (${end.code}).`,
      );
    default:
      return assertNever(end);
  }
}

/** A call that was given up before anything left; the summary says so. */
export function notSent(why: string, of: { readonly code: string; readonly failureClass: FailureClass }): ToolRun {
  return failed(of.code, of.failureClass, {
    wasSent: false,
    output: EMPTY_OUTPUT,
    summary: `${why} Nothing was sent.`,
  });
}

function describeStatus(
  end: Extract<CallEnd, { kind: 'status' }>,
  of: { readonly name: string; readonly tool: string },
): ToolRun {
  const { status } = end;
  if (status === 502 || status === 504) {
    // A gateway speaks for a server that it could not hear.
    return unclear(`http-${status}`, `The call of ${of.tool} left for ${of.name}, and a gateway answered ${status}.`);
  }
  if (status === 404 && end.hadSession) {
    // The protocol gives this status one meaning: the session is over, and the request went nowhere.
    const sentence = `${of.name} has forgotten this session and did not take the call of ${of.tool}.`;
    return notSent(sentence, { code: 'session-ended', failureClass: 'transient' });
  }
  const { code, failureClass, sentence } = statusFailure(of.name, status, end.signInNeed);
  if (status === 401) return notSent(sentence, { code, failureClass });
  return failed(code, failureClass, { wasSent: true, output: EMPTY_OUTPUT, summary: sentence });
}

function unclear(code: string, summary: string): ToolRun {
  return { outcome: { kind: 'unclear', code }, output: EMPTY_OUTPUT, summary };
}

function failed(
  code: string,
  failureClass: FailureClass,
  of: { readonly wasSent: boolean; readonly output: ToolRun['output']; readonly summary: string },
): ToolRun {
  const { wasSent, output, summary } = of;
  return { outcome: { kind: 'failure', class: failureClass, code, wasSent }, output, summary };
}
