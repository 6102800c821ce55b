import path from 'node:path';
import { app, BrowserWindow, dialog } from 'electron';

/** Asks the person where a file goes, in front of the window; `null` if they want none. The page never names a path. */
export async function chooseSaveFile(fileName: string): Promise<string | null> {
  const options = {
    title: 'Export the record',
    defaultPath: path.join(app.getPath('documents'), fileName),
    filters: [{ name: 'JSON lines', extensions: ['jsonl'] }],
  };
  const [window] = BrowserWindow.getAllWindows();
  const chosen = await (window === undefined ? dialog.showSaveDialog(options) : dialog.showSaveDialog(window, options));
  return chosen.canceled || chosen.filePath === '' ? null : chosen.filePath;
}
