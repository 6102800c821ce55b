import { z } from 'zod';

/** What closing the window does: ask once, leave the agents running behind an icon, or quit. */
const onClose = z.enum(['ask', 'background', 'quit']);

/** Requests about how the desktop app behaves on this device. In a browser they are kept and have no effect. */
export const desktopRequestSchemas = {
  'desktop.get': z.strictObject({}),
  'desktop.set': z.strictObject({
    onClose: onClose.optional(),
    notifies: z.boolean().optional(),
    keepsAwake: z.boolean().optional(),
    startsAtLogin: z.boolean().optional(),
  }),
} as const;

/** What is kept in the profile about the desktop. */
export interface DesktopSettings {
  readonly onClose: z.output<typeof onClose>;
  /** Whether the system tells of what needs a person, of what failed after it was sent, and of devices that come and go. */
  readonly notifies: boolean;
  /** Whether the system may not fall asleep while something is on its way from this device. */
  readonly keepsAwake: boolean;
}

/** What this desktop has, as the shell found it. */
export interface DesktopFacts {
  /** Whether there is a place for an icon that brings the window back. */
  readonly hasTray: boolean;
  readonly canNotify: boolean;
  /** The system refused the last notification: they are switched off there, or it is told not to disturb. */
  readonly isNotifyBlocked: boolean;
  readonly canStartAtLogin: boolean;
  /** As the system says it now: a person may have changed it there. */
  readonly startsAtLogin: boolean;
  /** While it quits: the titles of what is on its way and gets its time. `null` while it runs. */
  readonly leaving: readonly string[] | null;
}

export interface DesktopView extends DesktopSettings {
  readonly sequence: number;
  /** `null` where there is no desktop app around the host, such as in a browser. */
  readonly desktop: DesktopFacts | null;
}
