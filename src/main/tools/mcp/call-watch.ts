import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { ServerTransport } from './server-transport.ts';

/** How far one call got, as the transport saw it. The SDK's errors alone cannot tell its own from the server's. */
export interface WatchedCall {
  /** Handed to the transport: from here on it may have arrived. */
  hasLeft: boolean;
  /** Something came back, be it a redirect: it has arrived somewhere. */
  wasHeard: boolean;
  /** The server's own error reply. */
  error: { readonly code: number; readonly message: string } | null;
  hasReply: boolean;
  /** How the answer got lost, as soon as that is known; the SDK may still be reading what came before. */
  lostCode: string | null;
  /** Called when the answer is lost for good. */
  readonly onLost: (code: string) => void;
}

/** Follows calls through a transport. */
export interface CallWatch {
  /** Starts to look at everything that passes. */
  attach(transport: ServerTransport): void;
  /** Asks while watching: `ask` hands exactly one call to the transport before it returns. */
  during<Answer>(call: WatchedCall, ask: () => Promise<Answer>): Promise<Answer>;
  heard(id: RequestId): void;
  lost(id: RequestId, code: string): void;
}

/** How long after the end of a stream its last message may still be on its way through the SDK, ms. */
const LAST_MESSAGE_MS = 250;

/** Builds the watch of one connection. */
export function createCallWatch(): CallWatch {
  const calls = new Map<RequestId, WatchedCall>();
  let next: WatchedCall | null = null;

  const leaving = (message: JSONRPCMessage) => {
    if (!('method' in message) || message.method !== 'tools/call' || !('id' in message)) return;
    // One that nobody watches could leave without anybody knowing; no call is better than such a call.
    if (next === null) throw new Error('A call may only leave while it is watched.');
    next.hasLeft = true;
    calls.set(message.id, next);
    next = null;
  };
  const arriving = (message: JSONRPCMessage) => {
    if ('method' in message || message.id === undefined) return;
    const call = calls.get(message.id);
    if (call === undefined) return;
    call.hasReply = true;
    if ('error' in message) call.error = { code: message.error.code, message: message.error.message };
  };
  return {
    attach(transport) {
      const send = transport.send.bind(transport);
      transport.send = async (message, options) => {
        leaving(message);
        await send(message, options);
      };
      // The SDK keeps a callback that is there before it connects, and calls it first.
      Object.assign(transport, { onmessage: arriving });
    },
    async during(call, ask) {
      next = call;
      let answer: ReturnType<typeof ask>;
      try {
        answer = ask();
      } finally {
        next = null;
      }
      try {
        return await answer;
      } finally {
        for (const [id, each] of calls) if (each === call) calls.delete(id);
      }
    },
    heard(id) {
      const call = calls.get(id);
      if (call !== undefined) call.wasHeard = true;
    },
    lost(id, code) {
      const call = calls.get(id);
      if (call === undefined) return;
      call.lostCode ??= code;
      setTimeout(() => {
        if (!call.hasReply) call.onLost(code);
      }, LAST_MESSAGE_MS);
    },
  };
}
