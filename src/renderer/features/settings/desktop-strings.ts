/** The words of what the desktop app does outside of its window. */
export const desktopText = {
  title: 'On the desktop',
  lede: 'What Fencepost does outside of its window on this device.',
  browser:
    'These belong to the desktop app. In a browser the host runs until it is ended where it was started, and closing the page ends nothing.',
  onClose: 'When the window closes',
  ask: 'Ask me',
  background: 'Keep running in the background',
  quit: 'Quit',
  backgroundHelp: 'In the background agents go on, and an icon tells how many run and how many need you.',
  noTray: 'This desktop shows no icons of programs, so closing the window quits: nothing would bring it back.',
  notifies: 'Tell me what needs me',
  notifiesHelp:
    'Once for each: what needs you, a run that failed after something was sent, a device that was paired or removed. It says the device and the run and nothing of what would be sent. A click opens it and decides nothing.',
  noticesBlockedTitle: 'The system did not show the last notification.',
  noticesBlocked:
    'Nothing is lost: it is all in the window. To be told again, allow Fencepost in the system’s own settings for notifications.',
  noNotices: 'This system shows no notifications. What needs you is in the window, at the top.',
  keepsAwake: 'Stay awake while something is on its way',
  keepsAwakeHelp:
    'Only while a step is under way, and the display goes dark as usual. Not below 10 % battery; where the charge is not told, only on mains.',
  startsAtLogin: 'Start when I sign in',
  startsAtLoginHelp: 'Without a window, where an icon can be shown.',
  otherProfile: 'Only the usual profile starts by itself; this one is in a folder of its own.',
  problem: 'How the desktop app behaves can’t be read.',
} as const;
