import { contextBridge, ipcRenderer } from 'electron';
import type { Answer, Bridge, ChangeNotice, RequestOf, Route } from '../shared/contract/api.ts';
import { CALL_CHANNEL, CHANGE_CHANNEL } from '../shared/contract/channels.ts';
import { problem } from '../shared/contract/errors.ts';
import { err } from '../shared/lib/result.ts';

const lost = problem(
  'internal',
  'The answer didn’t arrive. We can’t tell whether this was done.',
  'Look at the list before asking for it a second time.',
);

async function call<R extends Route>(route: R, request: RequestOf<R>): Promise<Answer<R>> {
  try {
    // The host answers each route with its own type.
    return (await ipcRenderer.invoke(CALL_CHANNEL, route, request)) as Answer<R>;
  } catch {
    return err(lost);
  }
}

function onChange(listener: (notice: ChangeNotice) => void): () => void {
  // The event object stays here: through its sender the page would have every channel.
  const pass = (_event: unknown, notice: ChangeNotice) => listener(notice);
  ipcRenderer.on(CHANGE_CHANNEL, pass);
  return () => void ipcRenderer.off(CHANGE_CHANNEL, pass);
}

const bridge: Bridge = { call, onChange };
// The context bridge copies and freezes it; the window finds these two functions and nothing else.
contextBridge.exposeInMainWorld('fencepost', Object.freeze(bridge));
