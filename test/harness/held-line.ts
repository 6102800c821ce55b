import type { Page } from '@playwright/test';

/** The line between a page and its host, with answers that wait until the test lets them through: a host that is slow. */
export interface HeldLine {
  /** From now on answers wait; notices go through, as those of a busy host do. */
  hold(): void;
  /** Lets every waiting answer through, the newest first, and no longer holds any. */
  release(): void;
  /** How many answers wait. */
  readonly waiting: number;
}

/** Puts itself into the line. Call it before the page is opened. */
export async function holdLine(page: Page): Promise<HeldLine> {
  let isHeld = false;
  let waiting: (() => void)[] = [];
  await page.routeWebSocket(/\/bridge$/u, (socket) => {
    const host = socket.connectToServer();
    socket.onMessage((message) => host.send(message));
    host.onMessage((message) => {
      const isAnswer = String(message).startsWith('{"id":');
      if (isHeld && isAnswer) waiting.push(() => socket.send(message));
      else socket.send(message);
    });
  });
  return {
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const send of waiting.toReversed()) send();
      waiting = [];
    },
    get waiting() {
      return waiting.length;
    },
  };
}
