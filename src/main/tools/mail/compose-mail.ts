import type { CheckedMail } from './check-mail.ts';

/** The same effect has the same id on every attempt, so that a server or a person can see that it is one message. */
export function messageIdOf(effectId: string, domain: string): string {
  // The host derives effect ids from digests; anything else in here would break the header.
  if (!/^[A-Za-z0-9-]{1,128}$/.test(effectId)) throw new Error('An effect id that no Message-ID can hold.');
  return `<fencepost.${effectId}@${domain}>`;
}

/** The whole message as it goes over the wire: ASCII, every line ended by CR LF, none longer than a server has to take. */
export async function composeMail(
  mail: CheckedMail,
  attempt: { readonly messageId: string; readonly epoch: number },
): Promise<string> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const plain = (address: string) => ({ name: '', address });
  const composer = new MailComposer({
    from: plain(mail.from.text),
    to: mail.to.map(plain),
    cc: mail.cc.map(plain),
    subject: mail.subject,
    text: mail.text,
    // One encoding for every text: what arrives is what was approved, to the last blank.
    encoding: 'quoted-printable',
    messageId: attempt.messageId,
    headers: { 'X-Fencepost-Epoch': String(attempt.epoch) },
    disableUrlAccess: true,
    disableFileAccess: true,
  });
  const bytes = await composer.compile().build();
  const message = bytes.toString('latin1').replaceAll(/\r\n|\r|\n/g, '\r\n');
  return message.endsWith('\r\n') ? message : `${message}\r\n`;
}
