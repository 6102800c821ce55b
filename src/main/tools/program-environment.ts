import type { Result } from '../../shared/lib/result.ts';
import { err, ok } from '../../shared/lib/result.ts';
import type { ToolContext, ToolRun } from './tool.ts';

/** What a program gets of the environment of the host. Tokens and keys that happen to lie there stay there. */
const ENVIRONMENT_NAMES = [
  ['PATH', 'HOME', 'USER', 'LOGNAME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'TEMP', 'TMP'],
  ['SystemRoot', 'SystemDrive', 'windir', 'PATHEXT', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'ProgramFiles'],
  ['ProgramData', 'NUMBER_OF_PROCESSORS', 'PROCESSOR_ARCHITECTURE'],
].flat();
/** Those of them that a strategy may set otherwise: they change words and times, and no code. */
const FREE_NAMES = new Set(['LANG', 'LC_ALL', 'LC_CTYPE', 'TZ']);
const OWN_NAMES = new Set(ENVIRONMENT_NAMES.map((name) => name.toUpperCase()).filter((name) => !FREE_NAMES.has(name)));

/**
 * Variables that make a program load other code than its arguments say: of dynamic linkers, language runtimes, shells,
 * and of tools that start helpers by name. With one of them a granted program is any program.
 */
const LOADER_NAMES = new Set(
  [
    'ENV BASH_ENV SHELLOPTS BASHOPTS PS4 PROMPT_COMMAND IFS CDPATH GLOBIGNORE ZDOTDIR SHELL COMSPEC PSMODULEPATH',
    'NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_COMPILE_CACHE NODE_EXTRA_CA_CERTS',
    'NODE_TLS_REJECT_UNAUTHORIZED ELECTRON_RUN_AS_NODE',
    'CLASSPATH JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS _JAVA_OPTIONS JAVA_OPTS JAVA_HOME MAVEN_OPTS GRADLE_OPTS',
    'PHPRC PHP_INI_SCAN_DIR GOFLAGS GOENV GOROOT GOTOOLCHAIN RUSTFLAGS RUSTC RUSTC_WRAPPER RUSTDOC CARGO_HOME',
    'MAKEFLAGS MAKEFILES GNUMAKEFLAGS R_PROFILE R_PROFILE_USER R_ENVIRON R_ENVIRON_USER R_LIBS R_LIBS_USER R_HOME',
    'GCONV_PATH GETCONF_DIR HOSTALIASES LOCPATH NLSPATH MALLOC_TRACE RESOLV_HOST_CONF TZDIR GLIBC_TUNABLES TERMINFO',
    'OPENSSL_CONF OPENSSL_MODULES OPENSSL_ENGINES SSLKEYLOGFILE LIBPATH SHLIB_PATH',
    'EDITOR VISUAL PAGER MANPAGER LESSOPEN LESSCLOSE BROWSER SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH',
    'GTK_MODULES GTK_PATH GIO_MODULE_DIR GIO_EXTRA_MODULES QT_PLUGIN_PATH QT_QPA_PLATFORM_PLUGIN_PATH',
    'PKG_CONFIG_PATH XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS',
  ].flatMap((line) => line.split(' ')),
);
const LOADER_BEGINNINGS =
  /^(?:LD_|DYLD_|_RLD|BASH_FUNC_|PERL|RUBY|GEM_|BUNDLE_|LUA_|JULIA_|DENO_|BUN_|NPM_CONFIG_|PIP_|COR_|CORECLR_|COMPLUS_|DOTNET_|VIRTUAL_ENV|FENCEPOST_)/u;
/** Families of which only these are harmless; the others run code. */
const HARMLESS = new Set(
  [
    'PYTHONUNBUFFERED PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED PYTHONDONTWRITEBYTECODE',
    'GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE',
    'GIT_TERMINAL_PROMPT DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_NOLOGO',
  ].flatMap((line) => line.split(' ')),
);
const MIXED_BEGINNINGS = /^(?:PYTHON|GIT_)/u;

/** Variables that a call asks for: values as they are, and secrets by name. */
export interface AskedVariables {
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly secretEnv?: Readonly<Record<string, string>> | undefined;
}

/** Why a program is not given these variables, as a sentence; `null` if it may have them. */
export function environmentFlaw(asked: AskedVariables): string | null {
  const seen = new Set<string>();
  for (const name of [...Object.keys(asked.env ?? {}), ...Object.keys(asked.secretEnv ?? {})]) {
    // Windows does not tell `path` from `PATH`, so no system is told that they differ.
    const upper = name.toUpperCase();
    if (seen.has(upper)) return `The variable ${name} is there twice.`;
    seen.add(upper);
    if (OWN_NAMES.has(upper)) return `The variable ${name} is set by Fencepost itself.`;
    if (isLoader(upper)) return `The variable ${name} could make the program load other code, so it may not be set.`;
  }
  for (const [name, value] of Object.entries(asked.env ?? {})) {
    if (value.includes('\0') || !value.isWellFormed()) {
      return `The variable ${name} holds characters that a program cannot take.`;
    }
  }
  return null;
}

function isLoader(upper: string): boolean {
  if (HARMLESS.has(upper)) return false;
  return LOADER_NAMES.has(upper) || LOADER_BEGINNINGS.test(upper) || MIXED_BEGINNINGS.test(upper);
}

/** The few variables of the host that every program gets. */
function inheritedEnvironment(from: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const name of ENVIRONMENT_NAMES) {
    // On Windows the process itself may spell it `Path`.
    const value = from[name] ?? (name === 'PATH' ? from['Path'] : undefined);
    if (value !== undefined) kept[name] = value;
  }
  return kept;
}

/** Everything that a program is started with. The error is the answer of the call: a secret is not there. */
export async function programEnvironment(
  asked: AskedVariables,
  of: { readonly host: Readonly<Record<string, string | undefined>>; readonly context: ToolContext },
): Promise<Result<Readonly<Record<string, string>>, ToolRun>> {
  const secret: Record<string, string> = {};
  for (const [variable, name] of Object.entries(asked.secretEnv ?? {})) {
    const value = await of.context.secrets.read(name);
    if (!value.ok) return err(value.error);
    secret[variable] = value.value;
  }
  return ok({
    ...inheritedEnvironment(of.host),
    ...asked.env,
    ...secret,
    FENCEPOST_EFFECT_ID: of.context.effectId,
    FENCEPOST_EPOCH: String(of.context.epoch),
  });
}
