import { describe, expect, it } from 'vitest';
import { parsePostgresUrl } from './postgres-options.ts';

describe('the address of a database', () => {
  it.each([
    ['postgresql://anna@db.example:6432/fencepost', { host: 'db.example', port: 6432 }],
    ['postgres://anna@db.example/fencepost', { host: 'db.example', port: 5432 }],
    ['postgresql://anna@[::1]:5432/fencepost', { host: '::1', port: 5432 }],
    ['postgresql://anna@%2Fvar%2Frun%2Fpostgresql/fencepost', { host: '/var/run/postgresql', port: 5432 }],
  ])('%s names another machine than it says', (text, place) => {
    expect(parsePostgresUrl(text)).toEqual({ ok: true, value: { ...place, database: 'fencepost', user: 'anna' } });
  });

  it.each([
    'not an address',
    'mysql://anna@db.example/fencepost',
    'postgresql://anna@db.example',
    'postgresql://db.example/fencepost',
    'postgresql:///fencepost',
    'postgresql://anna@db.example/%ff',
    'postgresql://anna@db.example/fencepost?sslmode=disable',
  ])('%s is taken although it cannot be meant', (text) => {
    expect(parsePostgresUrl(text)).toMatchObject({ ok: false, error: { code: 'input-invalid' } });
  });

  it('takes no password, and does not repeat the one that it was given', () => {
    const parsed = parsePostgresUrl('postgresql://anna:hunter2@db.example/fencepost');
    expect(parsed).toMatchObject({ ok: false });
    expect(JSON.stringify(parsed)).not.toContain('hunter2');
  });
});
