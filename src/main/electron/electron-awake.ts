import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { powerMonitor, powerSaveBlocker } from 'electron';
import { shouldStayAwake } from './awake-rule.ts';

const POWER_FOLDER = '/sys/class/power_supply';

/** The one holder of the request not to fall asleep. */
export class AwakeHold {
  #held: number | null = null;

  /** Takes or gives back the request, as it should be now. */
  update(of: { readonly isWanted: boolean; readonly inFlight: number }): void {
    const isOnBattery = powerMonitor.isOnBatteryPower();
    const isAwake = shouldStayAwake({ ...of, isOnBattery, batteryPercent: isOnBattery ? batteryPercent() : null });
    if (!isAwake) this.release();
    else if (this.#held === null) this.#held = powerSaveBlocker.start('prevent-app-suspension');
  }

  release(): void {
    if (this.#held !== null) powerSaveBlocker.stop(this.#held);
    this.#held = null;
  }
}

/** The charge of the emptiest battery. Only Linux tells it without a window; `null` elsewhere. */
function batteryPercent(): number | null {
  try {
    const charges = readdirSync(POWER_FOLDER)
      .filter((name) => name.startsWith('BAT'))
      .map((name) => Number(readFileSync(path.join(POWER_FOLDER, name, 'capacity'), 'utf8')));
    return charges.length === 0 || charges.some(Number.isNaN) ? null : Math.min(...charges);
  } catch {
    return null;
  }
}
