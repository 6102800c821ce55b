import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { app, safeStorage } from 'electron';
import { createEventLog } from './bridge/event-log.ts';
import { startApplication } from './compose.ts';
import { openKeychain } from './electron/electron-secrets.ts';
import { chooseSaveFile } from './electron/electron-save-file.ts';
import { prepareShell, runShell } from './electron/electron-shell.ts';
import { takeEnvironmentSecrets } from './secrets/environment-secrets.ts';

// No top-level await in this file: Electron gets ready only after the entry has run to its end.
const fromEnvironment = takeEnvironmentSecrets(process.env);
const profileFolder = chooseProfile();

if (prepareShell()) {
  const samplesFolder = path.join(app.getAppPath(), 'samples');
  runShell({
    entryFolder: import.meta.dirname,
    log: createEventLog(path.join(profileFolder, 'window.log')),
    start: (desktop) =>
      startApplication({
        desktop,
        profileFolder,
        surface: 'window',
        version: app.getVersion(),
        electronVersion: process.versions.electron ?? null,
        chooseFile: chooseSaveFile,
        secretSources: { fromEnvironment, openKeychain: () => openKeychain(safeStorage) },
        ...(existsSync(samplesFolder) ? { samplesFolder } : {}),
      }),
  });
} else {
  // The first copy shows its window; this one has nothing to say.
  app.exit(0);
}

/** The chosen data folder. Chromium's own files go below it, so that two profiles run side by side. */
function chooseProfile(): string {
  const chosen = process.env['FENCEPOST_PROFILE'];
  if (chosen === undefined || chosen === '') return app.getPath('userData');
  const folder = path.resolve(chosen);
  try {
    mkdirSync(path.join(folder, 'chromium'), { recursive: true, mode: 0o700 });
    app.setPath('userData', path.join(folder, 'chromium'));
  } catch {
    // The host meets the same refusal and says it on the screen, with a way out.
  }
  return folder;
}
