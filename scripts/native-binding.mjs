// better-sqlite3's prebuilt binary asks for Node-API 10, which Electron has from 35 on. For an older Electron it is
// compiled here against the experimental Node-API, in a copy of the package: a build folder left in node_modules
// would win over the prebuilt binary everywhere else.
import { copyFileSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { makeOpenFolder, publish } from './electron-from-npm.mjs';
import { cacheRoot, findCommand, Problem, projectEnv, requireNode, root, run, say } from './platform.mjs';

const FIRST_MAJOR_WITH_NODE_API_10 = 35;
const RECIPE = 1;
const FLAGS = [
  '-w',
  '-UNAPI_VERSION',
  '-DNAPI_VERSION=2147483647',
  '-DNAPI_EXPERIMENTAL',
  '-DNODE_API_EXPERIMENTAL_NOGC_ENV_OPT_OUT',
].join(' ');

export function needsOwnBinding(electronVersion) {
  return Number(electronVersion.split('.')[0]) < FIRST_MAJOR_WITH_NODE_API_10;
}

function folder() {
  const source = path.join(root, 'node_modules', 'better-sqlite3', 'package.json');
  const { version } = JSON.parse(readFileSync(source, 'utf8'));
  return path.join(
    cacheRoot(),
    `better-sqlite3-${version}-experimental-${process.platform}-${process.arch}-r${RECIPE}`,
  );
}

/** The cached binding's file, or null. */
export function findNativeBinding() {
  const file = path.join(folder(), 'better_sqlite3.node');
  return existsSync(file) ? file : null;
}

/** Compiles the binding (about two minutes, once) and returns its file. */
export function makeNativeBinding() {
  const missing = ['python3', 'make', 'g++'].filter((name) => !findCommand(name));
  if (missing.length > 0) {
    throw new Problem(`SQLite must be compiled for this Electron, which needs: ${missing.join(', ')}.`, 3);
  }
  say('compiling SQLite for this Electron (about two minutes, once)');
  const target = folder();
  const work = `${target}.${process.pid}`;
  const source = path.join(work, 'better-sqlite3');
  makeOpenFolder(work);
  try {
    copyPackages(work, source);
    compile(source);
    const finished = path.join(work, 'finished');
    makeOpenFolder(finished);
    copyFileSync(
      path.join(source, 'build', 'Release', 'better_sqlite3.node'),
      path.join(finished, 'better_sqlite3.node'),
    );
    run('chmod', ['-R', 'a+rX', finished]);
    publish(finished, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return path.join(target, 'better_sqlite3.node');
}

function copyPackages(work, source) {
  const modules = path.join(root, 'node_modules');
  const wanted = (file) => !/[\\/](prebuilds|build)$/.test(file);
  cpSync(path.join(modules, 'better-sqlite3'), source, { recursive: true, filter: wanted });
  cpSync(path.join(modules, 'node-addon-api'), path.join(work, 'node_modules', 'node-addon-api'), { recursive: true });
  for (const file of ['binding.gyp', path.join('deps', 'sqlite3.gyp'), path.join('deps', 'common.gypi')]) {
    const at = path.join(source, file);
    writeFileSync(at, readFileSync(at, 'utf8').replaceAll("'-flto'", "'-fno-lto'"));
  }
}

function compile(source) {
  const gyp = path.join(root, 'node_modules', 'node-gyp', 'bin', 'node-gyp.js');
  const headers = headersFolder();
  const args = [gyp, 'rebuild', '--release', '--force_build=1', '--jobs=max', '--loglevel=error'];
  if (headers) args.push(`--nodedir=${headers}`);
  const env = projectEnv({ CXXFLAGS: FLAGS });
  if (run(requireNode(), args, { cwd: source, env, stdio: ['ignore', 'ignore', 'inherit'] }) !== 0) {
    throw new Problem('SQLite could not be compiled for this Electron; see the lines above.', 3);
  }
}

/** Node's headers where they are installed; without them node-gyp fetches its own. Node-API is the same in all. */
function headersFolder() {
  const installed = findCommand('node');
  const candidates = ['/usr', '/usr/local', path.resolve(installed ?? process.execPath, '..', '..')];
  return candidates.find((prefix) => existsSync(path.join(prefix, 'include', 'node', 'common.gypi'))) ?? null;
}
