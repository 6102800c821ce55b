/** What is known about the power and the work. */
export interface AwakeFacts {
  readonly isWanted: boolean;
  /** How many steps are on their way from this device. */
  readonly inFlight: number;
  readonly isOnBattery: boolean;
  /** `null` where the system does not say. */
  readonly batteryPercent: number | null;
}

/** Below this a device that does not sleep may lose more than it gains. */
const BATTERY_LOW_PERCENT = 10;

/**
 * Whether the system is kept from falling asleep. Only while something is on its way from this device, and only the
 * process: the display goes dark as it likes. On a battery whose charge nobody tells it may sleep.
 */
export function shouldStayAwake(facts: AwakeFacts): boolean {
  if (!facts.isWanted || facts.inFlight === 0) return false;
  if (!facts.isOnBattery) return true;
  return facts.batteryPercent !== null && facts.batteryPercent >= BATTERY_LOW_PERCENT;
}
