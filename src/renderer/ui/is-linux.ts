/** Whether this window is shown on Linux. */
export function isLinux(): boolean {
  return navigator.userAgent.includes('Linux');
}
