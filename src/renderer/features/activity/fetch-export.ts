/** Has the browser fetch a file of the host. The answer says that it is one to keep, so the page stays. */
export function fetchExport(path: string): void {
  const link = document.createElement('a');
  link.href = path;
  link.download = '';
  link.click();
}
