/** The few pieces of DER (ITU-T X.690) that a certificate is made of. */
const TAG = {
  integer: 2,
  bitString: 3,
  octetString: 4,
  oid: 6,
  utf8: 12,
  utcTime: 23,
  generalizedTime: 24,
  sequence: 48,
  set: 49,
};

function encode(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), lengthOf(content.length), content]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 + bytes.length, ...bytes]);
}

export function sequence(...parts: readonly Buffer[]): Buffer {
  return encode(TAG.sequence, Buffer.concat(parts));
}

/** A set of one member. */
export function setOf(part: Buffer): Buffer {
  return encode(TAG.set, part);
}

/** A positive number; `bytes` is its value, the highest byte first. */
export function integer(bytes: Buffer): Buffer {
  return encode(TAG.integer, (bytes[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

export function bitString(content: Buffer): Buffer {
  return encode(TAG.bitString, Buffer.concat([Buffer.from([0]), content]));
}

export function octetString(content: Buffer): Buffer {
  return encode(TAG.octetString, content);
}

export function utf8(text: string): Buffer {
  return encode(TAG.utf8, Buffer.from(text, 'utf8'));
}

/** To the second, in the form that certificates want: two digits of the year until 2049 (RFC 5280, 4.1.2.5). */
export function time(at: Date): Buffer {
  const text = at.toISOString().replaceAll(/[-:T]|\.\d+/gu, '');
  if (at.getUTCFullYear() >= 2_050) return encode(TAG.generalizedTime, Buffer.from(text, 'ascii'));
  return encode(TAG.utcTime, Buffer.from(text.slice(2), 'ascii'));
}

/** An object identifier from its dotted form. */
export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((arc) => {
    const groups = [arc % 128];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift(0x80 + (left % 128));
    return groups;
  });
  return encode(TAG.oid, Buffer.from([first * 40 + second, ...bytes]));
}

/** A member with a number of its own, such as the version of a certificate. */
export function explicit(number: number, content: Buffer): Buffer {
  return encode(0xa0 + number, content);
}
