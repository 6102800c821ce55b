import net from 'node:net';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { SMTPServerOptions } from 'smtp-server';
import { LOOPBACK_CERTIFICATE } from './loopback-certificate.ts';
import { createMailWire } from './mail-wire.ts';
import type { MailFault, MailWire } from './mail-wire.ts';

/** One message as it reached the server, whole. */
interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly messageId: string | null;
}

/** A refusal by the server itself. */
interface Refusal {
  readonly status: number;
  readonly text: string;
}

/** What the server says no to. */
export interface Refusals {
  greeting?: Refusal;
  login?: Refusal;
  sender?: Refusal;
  /** By address. */
  recipients?: Readonly<Record<string, Refusal>>;
  /** After the whole message was read. */
  message?: Refusal;
}

export interface MailServerOptions {
  /** Who may sign in; nobody has to where it is left out. */
  readonly login?: { readonly user: string; readonly password: string };
  readonly security?: 'tls' | 'starttls' | 'none';
  /** Commands that the server does not know, such as EHLO. */
  readonly unknownCommands?: readonly string[];
  readonly sizeLimit?: number;
}

/**
 * A real SMTP server on a loopback port with a wire in front of it that can be cut anywhere. What it has received is what the
 * world outside has: messages that were ended and not refused.
 */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  refusals: Refusals = {};
  readonly #smtp: SMTPServer;
  readonly #wire: MailWire;

  private constructor(options: MailServerOptions) {
    this.#smtp = new SMTPServer(this.#options(options));
    this.#smtp.on('error', () => {});
    this.#wire = createMailWire(() => (this.#smtp.server.address() as AddressInfo).port);
  }

  static async start(options: MailServerOptions = {}): Promise<MailServer> {
    const server = new MailServer(options);
    await new Promise<void>((resolve) => void server.#smtp.listen(0, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => void server.#wire.listener.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#wire.listener.address() as AddressInfo).port;
  }

  /** The verbs that clients said so far, while they were readable. */
  get said(): readonly string[] {
    return this.#wire.said;
  }

  /** Where the next connections break, and how; `null` for nowhere. */
  set fault(fault: MailFault | null) {
    this.#wire.fault = fault;
  }

  /** Resolves as soon as a connection has reached its fault. */
  broken(): Promise<void> {
    return this.#wire.broken();
  }

  async stop(): Promise<void> {
    this.#wire.stop();
    await new Promise<void>((resolve) => this.#smtp.close(() => resolve()));
  }

  #options(options: MailServerOptions): SMTPServerOptions {
    const { login, security = 'none' } = options;
    const refuse = (refusal: Refusal | undefined) =>
      refusal === undefined ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.status });
    return {
      ...LOOPBACK_CERTIFICATE,
      secure: security === 'tls',
      hideSTARTTLS: security !== 'starttls',
      disabledCommands: [...(options.unknownCommands ?? []), ...(login === undefined ? ['AUTH'] : [])],
      ...(options.sizeLimit === undefined ? {} : { size: options.sizeLimit }),
      disableReverseLookup: true,
      allowInsecureAuth: true,
      closeTimeout: 50,
      logger: false,
      onConnect: (_, done) => done(refuse(this.refusals.greeting)),
      onAuth: (auth, _, done) => {
        const isKnown = auth.username === login?.user && auth.password === login?.password;
        const refusal = refuse(this.refusals.login);
        if (refusal !== null) return done(refusal);
        return isKnown ? done(null, { user: auth.username }) : done(new Error(`No such login: ${auth.password}`));
      },
      onMailFrom: (_, __, done) => done(refuse(this.refusals.sender)),
      onRcptTo: ({ address }, _, done) => done(refuse(this.refusals.recipients?.[address])),
      onData: (stream, session, done) => {
        const chunks: Buffer[] = [];
        stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
        stream.on('error', () => {});
        stream.on('end', () => {
          const refusal = refuse(this.refusals.message);
          if (refusal !== null) return done(refusal);
          const { mailFrom, rcptTo } = session.envelope;
          this.received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString('utf8'),
            messageId: /^Message-ID:\s+(\S+)\r$/im.exec(Buffer.concat(chunks).toString('utf8'))?.[1] ?? null,
          });
          return done(null, `queued as ${this.received.length}`);
        });
      },
    };
  }
}

/** A port on which nobody listens. */
export async function freePort(): Promise<number> {
  const probe = net.createServer();
  await new Promise<void>((resolve) => void probe.listen(0, '127.0.0.1', resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => void probe.close(resolve));
  return port;
}
