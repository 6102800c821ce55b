/** Hands a text to the person as a file. */
export function saveText(fileName: string, content: string): void {
  const url = URL.createObjectURL(new Blob([content], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The download has taken its copy by the next task.
  setTimeout(() => URL.revokeObjectURL(url), 0);
}
