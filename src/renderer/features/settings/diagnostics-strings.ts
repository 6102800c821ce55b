/** The words about versions, updates, and what to hand on when something is wrong. */
export const updatesText = {
  title: 'Versions and updates',
  lede: 'Fencepost looks for no updates and installs none by itself: nothing interrupts what is on its way.',
  app: 'Fencepost',
  form: 'Form of the record',
  formNumber: (version: number) => `number ${version}`,
  how: 'How to update',
  howSteps:
    'Quit, put the newer version in the place of this one, and start it. In a checkout: git pull, then npm start. What is on its way gets its five seconds, and agents go on after the start.',
  rules: 'What a newer version does',
  rulesSteps:
    'A newer form of the record is made once, after a checked copy. A version that does not know the form opens nothing and changes nothing, and says so.',
} as const;

export const diagnosticsText = {
  title: 'When something is wrong',
  lede: 'A text to hand to whoever helps. You see all of it before it leaves.',
  show: 'Show the text',
  renew: 'Write it anew',
  copy: 'Copy the text',
  about:
    'Versions, sizes, counts, states and the last lines of the logs without their messages. No secret, no payload, no name, no path.',
  text: 'Diagnostics',
  logs: 'Logs',
  open: 'Open the folder',
  logsHelp:
    'host.log, window.log and browser.log. Older lines are in files that end with .1. They stay on this device.',
  browser: 'A page in a browser can’t open a folder.',
} as const;
