/** Whether the keyboard in front of the person is a Mac's: also where the host is another machine. */
export const isMac = navigator.userAgent.includes('Mac OS');
