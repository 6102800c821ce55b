import { homedir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { profileFolderOf } from './profile-folder.ts';

const home = homedir();
it.each<[string, NodeJS.ProcessEnv, NodeJS.Platform, string]>([
  ['a chosen one', { FENCEPOST_PROFILE: '/data/x', XDG_CONFIG_HOME: '/c' }, 'linux', path.resolve('/data/x')],
  ['a chosen relative one', { FENCEPOST_PROFILE: 'x' }, 'linux', path.resolve('x')],
  ['an empty choice', { FENCEPOST_PROFILE: '' }, 'linux', path.join(home, '.config', 'fencepost')],
  ['Linux', { XDG_CONFIG_HOME: '/c' }, 'linux', path.join('/c', 'fencepost')],
  ['a relative XDG_CONFIG_HOME', { XDG_CONFIG_HOME: 'c' }, 'linux', path.join(home, '.config', 'fencepost')],
  ['macOS', {}, 'darwin', path.join(home, 'Library', 'Application Support', 'fencepost')],
  ['Windows', { APPDATA: '/r' }, 'win32', path.join('/r', 'fencepost')],
])('%s has the folder that the window has too', (_name, env, platform, expected) => {
  expect(profileFolderOf(env, platform)).toBe(expected);
});
