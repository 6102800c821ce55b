/** What a person calls a run: four digits or more. */
export function runNumber(number: number): string {
  return String(number).padStart(4, '0');
}
