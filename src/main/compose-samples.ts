import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { HostControl } from './host/control.ts';

/** Samples are saved once per profile, without a permission: nothing may run until a person says so. */
export async function installSamples(samplesFolder: string | undefined, control: HostControl): Promise<void> {
  if (samplesFolder === undefined || control.readSetting('samples') !== null) return;
  for (const fileName of readdirSync(samplesFolder).toSorted()) {
    // A sample that starts programs comes once for each family of systems.
    if (!/\.(?:ya?ml|json)$/u.test(fileName) || fileName.includes('-windows.') !== (process.platform === 'win32'))
      continue;
    await control.saveAgent(fileName, readFileSync(join(samplesFolder, fileName), 'utf8'));
  }
  await control.writeSetting('samples', 'installed');
}
