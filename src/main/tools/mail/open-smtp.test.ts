import tls from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { LOOPBACK_CERTIFICATE } from '../../../../test/harness/loopback-certificate.ts';
import { MailServer } from '../../../../test/harness/mail-server.ts';
import type { MailServerOptions } from '../../../../test/harness/mail-server.ts';
import { createMailBench, LOGIN, mailTo } from './testing/mail-bench.ts';

let server: MailServer;
afterEach(async () => await server.stop());

async function serve(security: MailServerOptions['security']): Promise<void> {
  server = await MailServer.start({ login: LOGIN, ...(security === undefined ? {} : { security }) });
}

describe('an encrypted connection', () => {
  const trusted = tls.getCACertificates('default');
  const securities = ['tls', 'starttls'] as const;
  afterEach(() => tls.setDefaultCACertificates(trusted));

  const runOver = async (security: (typeof securities)[number], host: string) => {
    const own = createMailBench({ port: server.port, host, security, user: LOGIN.user, secret: 'mail-password' });
    const run = await own.run(mailTo());
    own.remove();
    return run;
  };

  test.each(securities)('trusts a certificate that nobody vouches for: %s', async (security) => {
    await serve(security);
    const run = await runOver(security, 'localhost');
    const code = 'depth_zero_self_signed_cert';
    expect(run.outcome).toEqual({ kind: 'failure', class: 'permanent', code, wasSent: false });
    expect(server.said).not.toContain('AUTH');
    expect(server.received).toEqual([]);
  });

  test.each(securities)('trusts the certificate of another host: %s', async (security) => {
    tls.setDefaultCACertificates([...trusted, LOOPBACK_CERTIFICATE.cert]);
    await serve(security);
    const run = await runOver(security, '127.0.0.1');
    const code = 'err_tls_cert_altname_invalid';
    expect(run.outcome).toEqual({ kind: 'failure', class: 'permanent', code, wasSent: false });
    expect(server.received).toEqual([]);
  });

  test.each(securities)('does not work with a good certificate: %s', async (security) => {
    tls.setDefaultCACertificates([...trusted, LOOPBACK_CERTIFICATE.cert]);
    await serve(security);
    expect((await runOver(security, 'localhost')).outcome).toEqual({ kind: 'success' });
    expect(server.received).toHaveLength(1);
    expect(server.said).not.toContain('AUTH');
  });

  test('goes on in the clear where the server does not offer encryption', async () => {
    await serve('none');
    expect((await runOver('starttls', 'localhost')).outcome).toMatchObject({ kind: 'failure', wasSent: false });
    expect(server.said).not.toContain('AUTH');
    expect((await runOver('tls', 'localhost')).outcome).toMatchObject({ kind: 'failure', wasSent: false });
    expect(server.received).toEqual([]);
  });
});
