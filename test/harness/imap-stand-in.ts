import net from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import tls from 'node:tls';
import { LOOPBACK_CERTIFICATE } from './loopback-certificate.ts';

/** How the stand-in behaves besides being right. */
interface ImapBehaviour {
  /** Stays silent from this command on. */
  silentAt?: string;
  /** Says NO to this command. */
  refusesAt?: string;
  /** Cuts the connection at this command. */
  cutsAt?: string;
  /** Finds every message, whatever is searched for, as some servers with a search by words do. */
  findsEverything?: boolean;
}

/**
 * STAND-IN, not a mail server: the dozen IMAP commands that a look into one folder needs, for one user, without literals or
 * extensions. It says of every command that it was said, so that a test can tell whether anything but looking was tried.
 */
export class ImapStandIn {
  /** The headers of the messages in the one folder, by their order. */
  readonly messages: string[] = [];
  readonly said: string[] = [];
  behaviour: ImapBehaviour = {};
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #login: { readonly user: string; readonly password: string };

  private constructor(login: { readonly user: string; readonly password: string }, isEncrypted: boolean) {
    this.#login = login;
    const serve = (socket: Socket) => this.#serve(socket);
    this.#server = isEncrypted ? tls.createServer(LOOPBACK_CERTIFICATE, serve) : net.createServer(serve);
    this.#server.on('tlsClientError', () => {});
  }

  static async start(options: {
    readonly login: { readonly user: string; readonly password: string };
    readonly isEncrypted?: boolean;
  }): Promise<ImapStandIn> {
    const server = new ImapStandIn(options.login, options.isEncrypted ?? false);
    await new Promise<void>((resolve) => void server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => void this.#server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => {});
    socket.write('* OK [CAPABILITY IMAP4rev1 ID NAMESPACE] stand-in\r\n');
    let rest = '';
    socket.on('data', (chunk) => {
      const lines = (rest + chunk.toString('utf8')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#obey(socket, line);
    });
  }

  #obey(socket: Socket, line: string): void {
    const [, tag = '', text = ''] = /^(\S+) (.*)$/.exec(line) ?? [];
    const name = /^(?:UID )?[A-Z]+/i.exec(text)?.[0].toUpperCase() ?? '';
    this.said.push(name);
    if (this.behaviour.silentAt === name) return;
    if (this.behaviour.cutsAt === name) {
      socket.destroy();
      return;
    }
    const answers = this.behaviour.refusesAt === name ? null : this.#answers(name, text);
    const lines = (answers ?? []).map((answer) => `* ${answer}\r\n`);
    socket.write(`${lines.join('')}${tag} ${answers === null ? 'NO refused' : 'OK done'}\r\n`);
    if (name === 'LOGOUT') socket.end();
  }

  /** The untagged answers to one command; `null` refuses it. */
  #answers(name: string, text: string): readonly string[] | null {
    switch (name) {
      case 'CAPABILITY':
        return ['CAPABILITY IMAP4rev1 ID NAMESPACE'];
      case 'LOGIN':
        return this.#isLogin(text) ? [] : null;
      case 'NAMESPACE':
        return ['NAMESPACE (("" "/")) NIL NIL'];
      case 'LIST':
      case 'LSUB':
        return [String.raw`${name} (\HasNoChildren) "/" Sent`];
      case 'EXAMINE':
        return [`${this.messages.length} EXISTS`, 'OK [UIDVALIDITY 1] fixed', 'OK [READ-ONLY] only looked at'];
      case 'UID SEARCH':
        return [`SEARCH ${this.#found(text).join(' ')}`];
      case 'UID FETCH':
        return this.#fetched(text);
      case 'LOGOUT':
        return ['BYE'];
      case 'ID':
        return ['ID NIL'];
      case 'NOOP':
        return [];
      default:
        return null;
    }
  }

  #isLogin(text: string): boolean {
    const words = [...text.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '');
    return words[1] === this.#login.user && words[2] === this.#login.password;
  }

  #found(text: string): readonly number[] {
    const wanted = /HEADER MESSAGE-ID "?([^"]+)"?$/i.exec(text)?.[1] ?? '';
    const all = this.messages.map((headers, index) => ({ headers, uid: index + 1 }));
    return all
      .filter(({ headers }) => this.behaviour.findsEverything === true || headers.includes(wanted))
      .map(({ uid }) => uid);
  }

  #fetched(text: string): readonly string[] {
    const uids = (/^UID FETCH (\S+)/i.exec(text)?.[1] ?? '').split(',').flatMap((part) => {
      const [first = 0, last = first] = part.split(':').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
    return uids.map((uid) => {
      const headers = `${this.messages[uid - 1] ?? ''}\r\n\r\n`;
      const size = Buffer.byteLength(headers);
      return `${uid} FETCH (UID ${uid} BODY[HEADER.FIELDS (MESSAGE-ID)] {${size}}\r\n${headers})`;
    });
  }
}
