/** Cuts a stream of bytes into lines. Every byte is copied once, so that an endless line costs no more than its length. */
export interface LineReader {
  /** Whether the line that is not over yet is still short enough; what was held is let go if not. */
  add(chunk: Buffer): boolean;
}

/** Builds a reader that hands on every whole line without its end. */
export function createLineReader(limitBytes: number, onLine: (line: string) => void): LineReader {
  let held: Buffer[] = [];
  let heldBytes = 0;
  return {
    add(chunk) {
      let rest = chunk;
      for (let end = rest.indexOf(0x0a); end !== -1; end = rest.indexOf(0x0a)) {
        const line = Buffer.concat([...held, rest.subarray(0, end)]).toString('utf8');
        held = [];
        heldBytes = 0;
        rest = rest.subarray(end + 1);
        onLine(line.endsWith('\r') ? line.slice(0, -1) : line);
      }
      held.push(rest);
      heldBytes += rest.length;
      if (heldBytes <= limitBytes) return true;
      held = [];
      heldBytes = 0;
      return false;
    },
  };
}
