/** What the page says when the line to the host is the problem. */
export const text = {
  unknown: 'The answer didn’t arrive. We can’t tell whether this was done.',
  unknownWayOut: 'Look at the list once this page is connected again, before asking for it a second time.',
  offline: 'This page is not connected to Fencepost, so nothing was asked.',
  offlineWayOut: 'It connects by itself. Then ask again.',
} as const;
