/**
 * A certificate for `localhost` that nobody trusts, with its key, for tests of encrypted servers on this machine. It is
 * public on purpose and protects nothing; a test that wants it trusted says so for its own process.
 */
export const LOOPBACK_CERTIFICATE = {
  cert: pem(
    'CERTIFICATE',
    'MIIBazCCARGgAwIBAgIBATAKBggqhkjOPQQDAjAZMRcwFQYDVQQDDA5GZW5jZXBvc3QgdGVzdDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowGTEXMBUGA1UEAwwORmVuY2Vwb3N0IHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATUuXtV2mvO9/pl2A95KvNuboRgx4bhHnDJgs4LY389RxtU+Eh2wadItnC1stvAhRiDd2KjDqaIC1jrxkzIOlwoo0gwRjAPBgNVHRMBAf8EBTADAQH/MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAdBgNVHQ4EFgQUQqwdKAPuV7wgdm8vz5aO+vRfmWIwCgYIKoZIzj0EAwIDSAAwRQIgFugZaKfa+Wjcca8NcrUFuWFswfuNZfsGQr2je+JH+6kCIQDZZBtbBKkEdN8pp4KpnZEYoSL82y9HHNRg1EjPSHSBYA==',
  ),
  key: pem(
    'PRIVATE KEY',
    'MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQga/Lt75rOAYS80U1RNrR1sod660miudi61LDguXYUXXehRANCAATUuXtV2mvO9/pl2A95KvNuboRgx4bhHnDJgs4LY389RxtU+Eh2wadItnC1stvAhRiDd2KjDqaIC1jrxkzIOlwo',
  ),
};

function pem(label: string, base64: string): string {
  const lines = base64.match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
