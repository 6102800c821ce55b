import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SocketClient } from './socket-client.ts';
import { backOffMs, readMessage } from './socket-messages.ts';

/** A socket whose other end is the test. */
class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static readonly opened: FakeSocket[] = [];
  readyState = 0;
  readonly sent: string[] = [];

  constructor() {
    super();
    FakeSocket.opened.push(this);
  }

  send(message: string): void {
    this.sent.push(message);
  }

  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.dispatchEvent(new Event('open'));
  }

  say(message: unknown): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }

  close(): void {
    this.readyState = 3;
    this.dispatchEvent(new Event('close'));
  }
}

const latest = () => {
  const socket = FakeSocket.opened.at(-1);
  if (socket === undefined) throw new Error('No socket was opened.');
  return socket;
};

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', FakeSocket);
  FakeSocket.opened.length = 0;
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe('the browser’s line to the host', () => {
  it('answers a call that was under way at a disconnect as unknown, and never sends it again', async () => {
    const client = new SocketClient('ws://host/bridge');
    latest().open();
    const answer = client.call('runs.start', { agentId: 'a', requestId: 'request-1' });
    expect(latest().sent).toHaveLength(1);
    latest().close();
    await expect(answer).resolves.toMatchObject({ ok: false, error: { code: 'internal' } });
    vi.advanceTimersByTime(20_000);
    latest().open();
    expect(FakeSocket.opened).toHaveLength(2);
    expect(latest().sent).toHaveLength(0);
  });

  it('keeps calls made before the first connection and sends them once, in order', () => {
    const client = new SocketClient('ws://host/bridge');
    void client.call('overview.get', {});
    void client.call('needs.list', {});
    expect(latest().sent).toHaveLength(0);
    latest().open();
    expect(latest().sent.map((message) => (JSON.parse(message) as { route: string }).route)).toEqual([
      'overview.get',
      'needs.list',
    ]);
  });

  it('turns a call away while the line is known to be down, instead of letting it act later', async () => {
    const client = new SocketClient('ws://host/bridge');
    latest().close();
    await expect(client.call('runs.stop', { runId: 'r' })).resolves.toMatchObject({ ok: false });
    vi.advanceTimersByTime(20_000);
    latest().open();
    expect(latest().sent).toHaveLength(0);
  });

  it('gives each answer to its own question', async () => {
    const client = new SocketClient('ws://host/bridge');
    latest().open();
    const one = client.call('overview.get', {});
    const two = client.call('needs.list', {});
    const [first, second] = latest().sent.map((message) => (JSON.parse(message) as { id: number }).id);
    latest().say({ id: second, answer: { ok: true, value: 'two' } });
    latest().say({ id: first, answer: { ok: true, value: 'one' } });
    await expect(Promise.all([one, two])).resolves.toEqual([
      { ok: true, value: 'one' },
      { ok: true, value: 'two' },
    ]);
  });

  it('passes notices on until the subscription ends', () => {
    const client = new SocketClient('ws://host/bridge');
    const heard: number[] = [];
    const end = client.onChange((notice) => heard.push(notice.sequence));
    latest().open();
    latest().say({ notice: { sequence: 2, previousSequence: 1, runIds: [], agentIds: [] } });
    end();
    latest().say({ notice: { sequence: 3, previousSequence: 2, runIds: [], agentIds: [] } });
    expect(heard).toEqual([2]);
  });
});

describe('frames and back-off', () => {
  it('ignores frames that are neither answers nor notices', () => {
    expect(readMessage('{')).toBeNull();
    expect(readMessage('null')).toBeNull();
    expect(readMessage('{"id":1,"answer":null}')).toBeNull();
    expect(readMessage('{"notice":{"sequence":"1"}}')).toBeNull();
    expect(readMessage(new ArrayBuffer(1))).toBeNull();
  });

  it('waits longer after each failure, up to ten seconds, and never not at all', () => {
    expect(backOffMs(0, 0)).toBeGreaterThan(100);
    expect(backOffMs(3, 0)).toBeGreaterThan(backOffMs(1, 0));
    expect(backOffMs(9_999, 1)).toBe(10_000);
  });
});
