import type { Page } from '@playwright/test';
import { button } from './dialog-case.ts';
import type { DialogCase } from './dialog-case.ts';
import type { AnswersAt } from './screen-cases.ts';
import { aloneView, coordinatorView, devicesView, embeddedView, invitationView } from './window-devices.ts';
import { signInsView } from './window-settings.ts';
import { syncView, WORDS_VIEW } from './window-sync.ts';

/** The dialogs about devices, what they share, the settings and the record. */

const alone: AnswersAt = () => ({ 'devices.list': aloneView(), 'coordinator.get': embeddedView() });
const invited: AnswersAt = (nowMs) => ({
  'devices.list': devicesView(nowMs, { invitation: invitationView(nowMs) }),
  'devices.invite': { sentence: 'A link is open.' },
});
const shared: AnswersAt = (nowMs) => ({
  'sync.get': syncView(nowMs, { hasWords: true }),
  'sync.words': WORDS_VIEW,
});
/** The other devices know more of this one than it knows itself. */
const older: AnswersAt = (nowMs) => {
  const message = 'Its record is an older copy.';
  return {
    'sync.get': syncView(nowMs, { problem: { code: 'relay-fork', message, wayOut: 'Give it a new identity.' } }),
  };
};
const restored: AnswersAt = () => ({
  'coordinator.get': coordinatorView({ state: 'went-back', sentence: 'It is older.', canConfirmRestore: true }),
});
const written: AnswersAt = () => ({
  'export.begin': { exportId: 'export-1', path: null },
  'export.get': {
    state: 'writing',
    fileName: 'fencepost-record.jsonl',
    place: '/home/ana/fencepost-record.jsonl',
    entries: 61_240,
    total: 120_482,
    bytes: 24_365_056,
    isSigned: true,
    deviceId: 'device-1',
    publicKey: '',
    problem: null,
  },
});

const SIGN_IN = 'Sign in at https://mcp.example.com/mcp';
const NOT_SIGNED_IN = {
  code: 'not-offered',
  message: 'Not signed in. The server that signs in could not be reached.',
  wayOut: 'Nothing was kept. Try again when you like.',
};

const hubSwitch = (page: Page) => page.getByRole('switch', { name: 'This device is the hub' });

const DEVICES: readonly DialogCase[] = [
  {
    name: 'device-pair',
    source: 'features/devices/invite-dialog.tsx#InviteDialog',
    at: '/devices',
    title: 'Pair a device',
    answers: invited,
    opener: button('Pair a device…'),
  },
  {
    name: 'device-join',
    source: 'features/devices/join-dialog.tsx#JoinDialog',
    at: '/devices',
    title: 'Join with a link',
    answers: alone,
    opener: button('Join with a link…'),
  },
  {
    name: 'device-rename',
    source: 'features/devices/rename-dialog.tsx#RenameDialog',
    at: '/devices',
    title: 'Rename Work-PC',
    opener: button('Rename Work-PC'),
  },
  {
    name: 'device-remove',
    source: 'features/devices/remove-dialog.tsx#RemoveDialog',
    at: '/devices',
    title: 'Remove Work-PC?',
    opener: button('Remove Work-PC'),
  },
  {
    name: 'sync-set-up',
    source: 'features/devices/sync/set-up-dialog.tsx#SetUpDialog',
    at: '/devices',
    title: 'Share with your other devices',
    answers: alone,
    opener: button('Share with your other devices…'),
  },
  {
    name: 'sync-words',
    source: 'features/devices/sync/words-dialog.tsx#WordsDialog',
    at: '/devices',
    title: 'Recovery words',
    answers: shared,
    opener: button('Show the words…'),
  },
  {
    name: 'sync-let-go',
    source: 'features/devices/sync/leave-dialogs.tsx#LetGoDialog',
    at: '/devices',
    title: 'Let Travel-Laptop go?',
    answers: shared,
    opener: button('Let go of Travel-Laptop'),
  },
  {
    name: 'sync-anew',
    source: 'features/devices/sync/leave-dialogs.tsx#AnewDialog',
    at: '/devices',
    title: 'Give this device a new identity?',
    answers: older,
    opener: button('New identity…'),
  },
  {
    name: 'sync-stop',
    source: 'features/devices/sync/leave-dialogs.tsx#StopDialog',
    at: '/devices',
    title: 'Stop sharing on this device?',
    answers: shared,
    opener: button('Stop sharing…'),
  },
];

const SETTINGS: readonly DialogCase[] = [
  {
    name: 'settings-place',
    source: 'features/settings/coordinator/change-dialog.tsx#ChangeDialog',
    at: '/settings',
    title: 'Where should the right to act be kept?',
    opener: button('Change…'),
  },
  {
    name: 'settings-restored',
    source: 'features/settings/coordinator/restore-dialog.tsx#RestoreDialog',
    at: '/settings',
    title: 'Is this the right server?',
    answers: restored,
    opener: button('It is the right one…'),
  },
  {
    name: 'settings-hub-start',
    source: 'features/settings/coordinator/hub-part.tsx#StartDialog',
    at: '/settings',
    title: 'Make this device the hub?',
    answers: alone,
    opener: hubSwitch,
  },
  {
    name: 'settings-hub-stop',
    source: 'features/settings/coordinator/hub-part.tsx#StopDialog',
    at: '/settings',
    title: 'Stop being the hub?',
    opener: hubSwitch,
  },
  {
    name: 'settings-secret',
    source: 'features/settings/secret-dialog.tsx#SecretDialog',
    at: '/settings',
    title: 'Add a secret',
    opener: button('Add a secret…'),
  },
  {
    name: 'settings-secret-remove',
    source: 'features/settings/remove-secret-dialog.tsx#RemoveSecretDialog',
    at: '/settings',
    title: 'Remove mail-password?',
    opener: button('Remove mail-password'),
  },
  {
    name: 'settings-sign-in',
    source: 'features/settings/sign-in-dialog.tsx#SignInDialog',
    at: '/settings',
    title: 'Sign in at mcp.example.com?',
    opener: button(SIGN_IN),
  },
  {
    name: 'settings-sign-in-waits',
    source: 'features/settings/sign-in-dialog.tsx#SignInDialog',
    at: '/settings',
    title: 'Sign in at mcp.example.com?',
    answers: (nowMs) => ({
      'signIns.list': signInsView(nowMs, { attempt: 1, isWaiting: true }),
      'signIns.begin': {
        attempt: 1,
        host: 'accounts.example.com',
        page: 'https://accounts.example.com/authorize?state=a',
      },
    }),
    opener: button(SIGN_IN),
    inside: async (dialog) => {
      await dialog.getByRole('button', { name: 'Go to the page' }).click();
      await dialog.getByRole('link', { name: 'Open the page of accounts.example.com' }).waitFor();
    },
  },
  {
    name: 'settings-sign-in-failed',
    source: 'features/settings/sign-in-dialog.tsx#SignInDialog',
    at: '/settings',
    title: 'Sign in at mcp.example.com?',
    answers: () => ({ 'signIns.begin https://mcp.example.com/mcp': { problem: NOT_SIGNED_IN } }),
    opener: button(SIGN_IN),
    inside: async (dialog) => {
      await dialog.getByRole('button', { name: 'Go to the page' }).click();
      await dialog.getByRole('alert').waitFor();
    },
  },
  {
    name: 'settings-sign-out',
    source: 'features/settings/sign-out-dialog.tsx#SignOutDialog',
    at: '/settings',
    title: 'Sign out of tickets.example.org?',
    opener: button('Sign out of https://tickets.example.org/team/42/mcp'),
  },
  {
    name: 'settings-keep-shorter',
    source: 'features/settings/retention-choice.tsx#ShorterDialog',
    at: '/settings',
    title: 'Keep single steps for a shorter time?',
    opener: (page) => page.getByRole('radio', { name: 'Keep for 30 days' }),
  },
];

const RECORD: readonly DialogCase[] = [
  {
    name: 'export',
    source: 'features/activity/export-dialog.tsx#ExportDialog',
    at: '/activity',
    title: 'Export the record',
    opener: button('Export…'),
  },
  {
    name: 'export-running',
    source: 'features/activity/export-dialog.tsx#RunningExport',
    at: '/activity',
    title: 'Export the record',
    answers: written,
    opener: button('Export…'),
    inside: async (dialog) => {
      await dialog.getByRole('button', { name: /^Export/u }).click();
      await dialog.getByRole('progressbar').waitFor();
    },
  },
];

export const DEVICE_DIALOG_CASES: readonly DialogCase[] = [...DEVICES, ...SETTINGS, ...RECORD];
