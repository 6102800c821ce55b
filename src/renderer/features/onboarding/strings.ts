/** Words of the first start. */
export const text = {
  progress: (step: number, of: number) => `Step ${step} of ${of}`,
  skip: 'Skip, I’ll look around myself',
  back: 'Back',
  failed: 'That couldn’t be saved.',
  welcome: 'Fencepost runs agents on all your devices without anything happening twice.',
  nameHeading: 'What is this device called?',
  nameLead: 'Every record says which device acted. Give this one a name that you will recognise later.',
  nameLabel: 'Name of this device',
  nameGo: 'Use this name',
  nameEmpty: 'It needs a name',
  runHeading: 'What may run here?',
  runLead: 'Nothing, until you permit it.',
  runFacts: [
    ['No agent may act yet', 'You permit each one by itself, after you saw what it would do.'],
    ['A permission is for one version', 'If the file of an agent changes, it has to ask again.'],
    ['Only one device acts at a time', 'It needs the right to act; the others watch and hold back.'],
    ['You can take it back', 'Revoke a permission at any time; it holds at once.'],
  ],
  runGo: 'Go on, nothing may run',
  practiseHeading: 'Practise once, before it matters',
  practiseLead:
    'Sometimes nobody can tell whether a step happened: the answer got lost. Then Fencepost asks you. The practice agent ends like that on purpose. It only writes into its own practice folder.',
  practiseSteps: [
    'Look at what the practice agent asks for, and permit it',
    'Run it: its answer gets lost on purpose',
    'Decide under “Needs you” what happened',
  ],
  practiseGo: 'Open the practice agent',
  practiseNone: 'There is no practice agent here. You find your agents in the list on the left.',
  pairLater: 'You can pair other devices later under “Devices and sync”.',
  practiseLater: 'Finish without practising',
} as const;
