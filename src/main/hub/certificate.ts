import { generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { problem } from '../../shared/contract/errors.ts';
import type { Problem } from '../../shared/contract/errors.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { Result } from '../../shared/lib/result.ts';
import { causeText, systemCodeOf } from '../../shared/lib/system-causes.ts';
import { bitString, explicit, time, integer, octetString, oid, sequence, setOf, utf8 } from './der.ts';

const FILE = 'hub-certificate.json';
const VALID_YEARS = 30;
/** Clocks that are a day wrong must not make it invalid; nobody goes by these dates for anything else. */
const EARLIER_MS = 86_400_000;

const OIDS = {
  commonName: '2.5.4.3',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
};

/** By what a hub is known. Devices pin it at pairing; no name and no authority is trusted. */
export interface HubCertificate {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** SHA-256 of the certificate, as `node:tls` writes it. */
  readonly fingerprint: string;
}

const kept = z.strictObject({ certificatePem: z.string().min(1), keyPem: z.string().min(1) });

/**
 * The certificate of a hub's folder, made the first time. One that is there and cannot be read is a problem and never replaced:
 * every device would have to be paired again.
 */
export function ensureHubCertificate(folder: string): Result<HubCertificate, Problem> {
  const file = join(folder, FILE);
  try {
    const text = readIfThere(file);
    if (text !== null) return ok(withFingerprint(kept.parse(JSON.parse(text))));
    const made = makeCertificate(new Date());
    writePrivately(file, JSON.stringify(made));
    return ok(withFingerprint(made));
  } catch (cause) {
    // What a parser says may quote the key.
    const because = causeText(systemCodeOf(cause));
    const why = because === null ? '' : `: ${because}`;
    return err(
      problem(
        'store-corrupt',
        `The hub's certificate in ${FILE} cannot be used${why}.`,
        'The hub was not started. Put the file back from a copy; if there is none, delete it and pair every device again.',
      ),
    );
  }
}

/** SHA-256 of a certificate, as `node:tls` writes it. @throws Error for something that is no certificate. */
export function fingerprintOf(certificatePem: string): string {
  return new X509Certificate(certificatePem).fingerprint256;
}

function withFingerprint(of: z.infer<typeof kept>): HubCertificate {
  return { ...of, fingerprint: fingerprintOf(of.certificatePem) };
}

function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw cause;
  }
}

/** Whole or not at all, and only for this account. */
function writePrivately(file: string, text: string): void {
  const next = `${file}.new`;
  rmSync(next, { force: true });
  const handle = openSync(next, 'wx', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(next, file);
}

/** A certificate that signs itself: ECDSA on P-256, X.509 version 3. Its fixed shape needs no library. */
function makeCertificate(now: Date): z.infer<typeof kept> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid(OIDS.ecdsaWithSha256));
  const name = sequence(setOf(sequence(oid(OIDS.commonName), utf8('Fencepost hub'))));
  const until = new Date(now);
  until.setUTCFullYear(until.getUTCFullYear() + VALID_YEARS);
  const serial = randomBytes(16);
  // Neither zero nor negative, and always of the same length.
  serial.writeUInt8((serial.readUInt8(0) & 0x3f) | 0x40, 0);
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    algorithm,
    name,
    sequence(time(new Date(now.getTime() - EARLIER_MS)), time(until)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    explicit(3, extensions()),
  );
  const der = sequence(body, algorithm, bitString(signature(body, privateKey)));
  return {
    certificatePem: new X509Certificate(der).toString(),
    keyPem: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}

/** It is nobody's authority. The name is the same for every hub and proves nothing. */
function extensions(): Buffer {
  const dnsName = Buffer.from('fencepost-hub', 'ascii');
  const alternative = sequence(Buffer.concat([Buffer.from([0x82, dnsName.length]), dnsName]));
  const critical = Buffer.from([0x01, 0x01, 0xff]);
  return sequence(
    sequence(oid(OIDS.basicConstraints), critical, octetString(sequence())),
    sequence(oid(OIDS.subjectAltName), octetString(alternative)),
  );
}

function signature(body: Buffer, privateKey: KeyObject): Buffer {
  return sign('sha256', body, privateKey);
}
