/** Words of stopping and pausing an agent, or everything. */
export const text = {
  stopHeading: (name: string) => `Stop ${name}?`,
  pauseHeading: (name: string) => `Pause ${name}?`,
  stopGo: 'Stop this agent',
  pauseGo: 'Pause this agent',
  keep: 'Keep it running',
  pause: 'Pause…',
  resume: 'Resume the agent',
  stop: 'Stop the agent…',
  everything: 'Pause or stop all…',
  allHeading: 'Pause or stop all agents?',
  allPauseHeading: 'If you pause all',
  allStopHeading: 'If you stop everything',
  allPauseGo: 'Pause all',
  allResumeGo: 'Resume all',
  allStopGo: 'Stop everything',
  allKeep: 'Keep all running',
  loading: 'Looking what is under way…',
  held: {
    'pause-requested': (by: string, when: string) =>
      `Pause requested by ${by}, ${when}. Something is still on its way.`,
    paused: (by: string, when: string) => `Paused by ${by}, ${when}. Nothing is on its way.`,
  },
} as const;
