/** Whether an address leads to this machine, where nobody else is on the way. */
export function isThisMachine(url: URL): boolean {
  return url.hostname === 'localhost' || url.hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/u.test(url.hostname);
}
