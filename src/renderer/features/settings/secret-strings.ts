/** Names in one sentence: `a, b and c`. */
export function inWords(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

/** The words about secrets. */
export const secretText = {
  title: 'Secrets',
  lede: 'Passwords and keys that agents name. A value goes out with the step that asks for it; it stands in no record and is never shown again.',
  list: 'Secrets on this device',
  none: 'No secrets are kept on this device.',
  missing: (name: string) => `${name} is missing.`,
  missingMore: (agents: readonly string[]) =>
    `${inWords(agents)} ${agents.length === 1 ? 'asks' : 'ask'} for it. Until it is here, those steps fail before anything is sent.`,
  usedBy: (agents: readonly string[]) => (agents.length === 0 ? 'No agent asks for it' : `Used by ${inWords(agents)}`),
  fromEnvironment: (variable: string) => `From the environment. Change ${variable} and start Fencepost again.`,
  add: 'Add…',
  addNamed: (name: string) => `Add ${name}`,
  addNew: 'Add a secret…',
  addHeading: 'Add a secret',
  addGo: 'Keep it',
  replace: 'Replace…',
  replaceNamed: (name: string) => `Replace ${name}`,
  replaceHeading: (name: string) => `Replace ${name}`,
  replaceGo: 'Replace it',
  remove: 'Remove…',
  removeNamed: (name: string) => `Remove ${name}`,
  removeHeading: (name: string) => `Remove ${name}?`,
  removeMore: 'Its value is forgotten here and cannot be shown or brought back. Nothing is sent.',
  removeUse: (agents: readonly string[]) =>
    agents.length === 0
      ? 'No agent asks for it.'
      : `Steps of ${inWords(agents)} that ask for it fail from then on before anything is sent.`,
  removeGo: 'Remove the secret',
  keep: 'Leave it',
  cancel: 'Cancel',
  name: 'Name',
  nameHelp: 'As the agent’s file calls it: lower-case letters, digits and dashes.',
  isThere: 'There is a secret of that name. Its value is replaced.',
  value: 'Value',
  valueHelp: 'It is not shown, now or later.',
  keptIn: {
    keychain: 'It is kept encrypted.',
    'plain-file': 'It is kept unencrypted in a file, as you chose.',
    session: 'It is kept until Fencepost ends.',
  },
  noKeychain: 'Nothing here encrypts secrets.',
  choice: 'Where secrets are kept',
  session: 'In memory only',
  sessionMore: 'Nothing is written down. You enter them again after each start.',
  plainFile: 'Unencrypted in a file',
  plainFileMore: 'They are there after each start. Whoever gets the file, from a backup for example, has them.',
  chosen: 'Changed.',
  again: 'Read them again',
} as const;
