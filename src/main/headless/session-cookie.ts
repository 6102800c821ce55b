/** Cookies know no ports, so the name does: two hosts on one machine do not sign each other out. */
function cookieName(port: number): string {
  return `fencepost-${port}`;
}

/** The header that gives a browser its session. No script reads it, and no other site's request carries it. */
export function sessionCookie(port: number, secret: string): string {
  return `${cookieName(port)}=${secret}; Path=/; HttpOnly; SameSite=Strict`;
}

/** Finds the session's secret in a `Cookie` header. Two of the same name are none: one of them is somebody else's. */
export function readSessionCookie(port: number, header: string | undefined): string | undefined {
  const prefix = `${cookieName(port)}=`;
  const found = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix));
  return found.length === 1 ? found[0]?.slice(prefix.length) : undefined;
}
