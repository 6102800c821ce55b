import { describe, expect, test } from 'vitest';
import { environmentFlaw } from './program-environment.ts';

describe('a variable turns a granted program into any program', () => {
  test.each(
    [
      'LD_PRELOAD LD_LIBRARY_PATH LD_AUDIT DYLD_INSERT_LIBRARIES DYLD_FRAMEWORK_PATH PATH Path PATHEXT ComSpec',
      'NODE_OPTIONS node_options NODE_PATH PYTHONSTARTUP PYTHONPATH PYTHONHOME PYTHONWARNINGS PERL5OPT PERL5LIB RUBYOPT',
      'BASH_ENV ENV IFS PS4 SHELLOPTS ZDOTDIR BASH_FUNC_ls JAVA_TOOL_OPTIONS _JAVA_OPTIONS CLASSPATH',
      'GIT_SSH_COMMAND GIT_EXEC_PATH GIT_CONFIG_COUNT GIT_EXTERNAL_DIFF EDITOR PAGER SSH_ASKPASS npm_config_script_shell',
      'DOTNET_STARTUP_HOOKS COR_PROFILER CORECLR_PROFILER GCONV_PATH OPENSSL_CONF GLIBC_TUNABLES ELECTRON_RUN_AS_NODE',
      'HOME USERPROFILE APPDATA TMPDIR SystemRoot XDG_CONFIG_HOME LUA_INIT PHPRC MAKEFLAGS R_PROFILE GTK_MODULES',
    ].flatMap((line) => line.split(' ')),
  )('named %s', (name) => {
    expect(environmentFlaw({ env: { [name]: 'x' } })).toContain(name);
    expect(environmentFlaw({ secretEnv: { [name]: 'x' } })).toContain(name);
  });
});

describe('a variable contradicts another', () => {
  test.each([
    [{ env: { FENCEPOST_EFFECT_ID: 'mine' } }, 'FENCEPOST_EFFECT_ID'],
    [{ env: { FENCEPOST_EPOCH: '9' } }, 'FENCEPOST_EPOCH'],
    [{ env: { A: '1' }, secretEnv: { A: 'x' } }, 'twice'],
    [{ env: { Abc: '1', ABC: '2' } }, 'twice'],
    [{ env: { A: 'a\0B=b' } }, 'cannot take'],
    [{ env: { A: '\uD800' } }, 'cannot take'],
  ])('as in %j', (asked, words) => {
    expect(environmentFlaw(asked)).toContain(words);
  });
});

test.each([
  'LANG',
  'TZ',
  'API_TOKEN',
  'NODE_ENV',
  'PYTHONUNBUFFERED',
  'GIT_AUTHOR_NAME',
  'DEBUG',
  'CI',
  'LOADER',
  'PATHS',
])('the harmless variable %s is turned away', (name) => {
  expect(environmentFlaw({ env: { [name]: 'a=b\nc' } })).toBeNull();
});
