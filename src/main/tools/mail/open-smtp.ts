import net from 'node:net';
import type { SMTPConnectionCustomAuthContext, SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import { isLoopbackAddress } from './check-mail.ts';

/** Where to hand a message in, and how to sign in there. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls' | 'none';
  /** `null` where the server asks nobody. */
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** The server said something, or the connection was over before it did. */
export type SmtpReply =
  | { readonly kind: 'reply'; readonly status: number; readonly text: string }
  | { readonly kind: 'broken'; readonly code: string };

/** How far a session got before a message was spoken of. */
export type SmtpStage = 'greeting' | 'login';

/** A connection on which the server has greeted and knows who is there. */
export interface SmtpSession {
  /** The largest message that the server takes, in bytes; `null` if it did not say. */
  readonly sizeLimit: number | null;
  /** Sends one command, or the lines of a message, and waits for the answer. */
  say(command: string): Promise<SmtpReply>;
  /** Set as soon as the connection is of no use any more: nothing that is said afterwards leaves. */
  readonly brokenBy: string | null;
  /** Says goodbye where that is possible. Nothing leaves afterwards. */
  close(): void;
}

/** A session, or why there is none. Nothing of any message was sent then. */
type SmtpOpening =
  | { readonly kind: 'open'; readonly session: SmtpSession }
  | { readonly kind: 'closed'; readonly stage: SmtpStage; readonly reply: SmtpReply };

/** What nodemailer says about an error, of which only the first is always there. */
interface SmtpError extends Error {
  readonly code?: string | undefined;
  readonly originalCode?: string | undefined;
  readonly responseCode?: number | undefined;
  readonly response?: string | undefined;
}

/** The name under which nodemailer hands out single commands; no server knows it. */
const COMMANDS = 'FENCEPOST-COMMANDS';
/** nodemailer's own limits only stand behind ours, ms. */
const LATER_MS = 5_000;

/**
 * Opens one connection of its own, up to the point where a message could be handed in. The time limit and the signal go on
 * to hold for the session; whichever comes first destroys the connection with everything that was not sent yet.
 */
export async function openSmtp(
  server: SmtpServer,
  limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<SmtpOpening> {
  const line = watchedLine(limits);
  const closed = (stage: SmtpStage, reply: SmtpReply): SmtpOpening => {
    line.end(null);
    return { kind: 'closed', stage, reply };
  };
  if (limits.signal.aborted) return closed('greeting', { kind: 'broken', code: 'aborted' });
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection');
  const unreached = await line.connect(server);
  if (unreached !== null) return closed('greeting', unreached);

  let atCommands: (commands: SMTPConnectionCustomAuthContext) => void = () => {};
  const connection = new SmtpConnection({
    ...connectionOptions(server, limits.timeoutMs + LATER_MS),
    connection: line.socket,
    // nodemailer's own sending goes ahead as soon as one recipient is accepted, and may say DATA before anybody is refused.
    // This is its only public way to single commands, so everything after the login goes through it.
    customAuth: { [COMMANDS]: (commands) => atCommands(commands) },
  });
  connection.on('error', (error: SmtpError) => line.breakOff(replyOf(error)));
  connection.on('end', () => line.breakOff({ kind: 'broken', code: 'closed' }));

  const greeted = await line.wait<SmtpReply | null>((settle) => {
    connection.connect((error) => settle(error === undefined ? null : replyOf(error)));
  });
  if (greeted !== null) return closed('greeting', greeted);
  const { login } = server;
  if (login !== null) {
    const admitted = await line.wait<SmtpReply | null>((settle) => {
      const credentials = { user: login.user, pass: login.password };
      connection.login(credentials, (error) => settle(error === null ? null : replyOf(error)));
    });
    if (admitted !== null) return closed('login', admitted);
  }
  const commands = await line.wait<SMTPConnectionCustomAuthContext>((settle) => {
    atCommands = settle;
    connection.login({ method: COMMANDS }, () => {});
  });
  if ('kind' in commands) return closed('login', commands);

  const say = (command: string) =>
    line.wait<SmtpReply>((settle) => {
      commands.sendCommand(command, (_, answer) => settle(replyIn(answer.response)));
    });
  const close = () => line.end(connection);
  const sizeLimit = commands.maxAllowedSize === false ? null : commands.maxAllowedSize;
  return {
    kind: 'open',
    session: {
      sizeLimit,
      say,
      close,
      get brokenBy() {
        return line.brokenBy;
      },
    },
  };
}

function connectionOptions(server: SmtpServer, laterMs: number): SMTPConnectionOptions {
  return {
    host: server.host,
    port: server.port,
    secure: server.security === 'tls',
    requireTLS: server.security === 'starttls',
    // Without encryption there is only this machine, whose certificate would say nothing.
    ignoreTLS: server.security === 'none',
    tls: { rejectUnauthorized: true, minVersion: 'TLSv1.2' },
    logger: false,
    connectionTimeout: laterMs,
    greetingTimeout: laterMs,
    socketTimeout: laterMs,
    socketCloseTimeout: 1_000,
  };
}

interface Line {
  readonly socket: net.Socket;
  readonly brokenBy: string | null;
  /** Connects; `null` if that worked. */
  connect(server: SmtpServer): Promise<SmtpReply | null>;
  /** Waits for what `start` settles, or for the end of the connection, whichever is first. */
  wait<Answer>(start: (settle: (answer: Answer) => void) => void): Promise<Answer | SmtpReply>;
  breakOff(reply: SmtpReply): void;
  end(connection: { quit(): void; close(): void } | null): void;
}

/** A socket with its limits. It is ours and not nodemailer's, so that destroying it loses whatever still waits in it. */
function watchedLine(limits: { readonly timeoutMs: number; readonly signal: AbortSignal }): Line {
  const socket = new net.Socket();
  const over = Promise.withResolvers<SmtpReply>();
  let brokenBy: string | null = null;
  const breakOff = (reply: SmtpReply) => {
    if (brokenBy !== null) return;
    brokenBy = reply.kind === 'broken' ? reply.code : `smtp-${reply.status}`;
    over.resolve(reply);
    socket.destroy();
  };
  const onAbort = () => breakOff({ kind: 'broken', code: 'aborted' });
  const timer = setTimeout(() => breakOff({ kind: 'broken', code: 'timeout' }), limits.timeoutMs);
  limits.signal.addEventListener('abort', onAbort);
  socket.on('error', (error: SmtpError) => breakOff(replyOf(error)));

  const wait = <Answer>(start: (settle: (answer: Answer) => void) => void) => {
    const answer = new Promise<Answer>((resolve) => start(resolve));
    return Promise.race([answer, over.promise]);
  };
  return {
    socket,
    get brokenBy() {
      return brokenBy;
    },
    wait,
    breakOff,
    async connect({ host, port, security }) {
      const failed = await wait<null>((settle) => {
        socket.connect({ host, port }, () => settle(null));
      });
      const isHere = isLoopbackAddress(socket.remoteAddress ?? '');
      if (failed === null && security === 'none' && !isHere) return { kind: 'broken', code: 'not-this-machine' };
      return failed;
    },
    end(connection) {
      clearTimeout(timer);
      limits.signal.removeEventListener('abort', onAbort);
      if (connection === null || brokenBy !== null) {
        brokenBy ??= 'closed';
        socket.destroy();
        return;
      }
      brokenBy = 'closed';
      connection.quit();
      connection.close();
    },
  };
}

/** An answer in which the status is read from the text itself; an answer may have several lines. */
function replyIn(text: string): SmtpReply {
  return { kind: 'reply', status: Number(/^[2-5]\d\d(?=[ \n-]|$)/.exec(text)?.[0] ?? 0), text };
}

function replyOf(error: SmtpError): SmtpReply {
  if (error.responseCode !== undefined && error.responseCode >= 400) {
    return { kind: 'reply', status: error.responseCode, text: error.response ?? '' };
  }
  const code = (error.originalCode ?? error.code ?? 'broken').toLowerCase();
  return { kind: 'broken', code: code === 'econnection' ? 'closed' : code };
}
