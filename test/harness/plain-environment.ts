/** The environment of this process without what a test runner says about colours: Node complains when both are set. */
export function plainEnvironment(): Record<string, string | undefined> {
  const { FORCE_COLOR: _forced, NO_COLOR: _none, ...env } = process.env;
  return env;
}
