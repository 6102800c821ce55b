import { describe, expect, it } from 'vitest';
import type { CoordinatorChoice } from '../../../../shared/contract/coordinator-requests.ts';
import { coordinatorRequestSchemas } from '../../../../shared/contract/coordinator-requests.ts';
import type { CoordinatorView } from '../../../../shared/contract/coordinator-views.ts';
import { CHOICE_KINDS, formOf, mistakesOf, placeName, portOf, requestOf, whyNot } from './choice-form.ts';

const embedded: CoordinatorChoice = { kind: 'embedded' };
const postgres: CoordinatorChoice = {
  kind: 'postgres',
  host: 'db.example',
  port: 6_432,
  database: 'fencepost',
  user: 'ana',
  tls: 'off',
  authorityPem: 'PEM',
};
const etcd: CoordinatorChoice = {
  kind: 'etcd',
  endpoints: ['https://a:2379', 'https://b:2379'],
  user: '',
  prefix: 'team/',
  authorityPem: '',
  certificatePem: 'CERT',
};

const view = (change: Partial<CoordinatorView> = {}): CoordinatorView => ({
  sequence: 1,
  choice: embedded,
  name: 'This device',
  state: 'ready',
  sentence: '',
  answeredMs: null,
  coordinatorId: '',
  incarnation: '',
  warning: '',
  canConfirmRestore: false,
  move: null,
  hub: { isRunning: false, port: 7_411, addresses: [], fingerprint: '', trouble: '' },
  pairedHub: null,
  ...change,
});

describe('a choice of where the right to act is kept', () => {
  it('comes back different from what is used now, or shows a password again', () => {
    for (const choice of [postgres, etcd]) {
      const form = formOf(choice, choice.kind);
      expect(requestOf(form)).toEqual({ choice, secrets: { password: '', privateKeyPem: '' } });
    }
  });

  it('is made beforehand, or by a link that names none', () => {
    expect(formOf(postgres, '').kind).toBeNull();
    expect(formOf(postgres, 'mysql').kind).toBeNull();
    expect(formOf(postgres, 'hub').kind).toBe('hub');
    expect(requestOf(formOf(postgres, ''))).toBeNull();
  });

  it('is turned away by the host for something that the form takes', () => {
    const schema = coordinatorRequestSchemas['coordinator.test'];
    const forms = CHOICE_KINDS.map((kind) => ({
      ...formOf(embedded, kind),
      host: ' db.example ',
      database: 'fencepost',
      user: 'ana',
      endpoints: 'https://a:2379, http://127.0.0.1:2379\n',
      password: 'p',
      privateKeyPem: 'KEY',
    }));
    for (const form of forms) expect(schema.safeParse(requestOf(form)).success).toBe(true);
  });

  it('sends a password to a place that asks for none', () => {
    const form = { ...formOf(embedded, 'hub'), password: 'p', privateKeyPem: 'KEY' };
    expect(requestOf(form)?.secrets).toEqual({ password: '', privateKeyPem: '' });
  });

  it('is sent although something is missing or wrong', () => {
    const wrong = { ...formOf(postgres, 'postgres'), host: ' ', port: '70000' };
    expect(Object.keys(mistakesOf(wrong))).toEqual(['host', 'port']);
    expect(requestOf(wrong)).toBeNull();
    const lines = (endpoints: string) => mistakesOf({ ...formOf(etcd, 'etcd'), endpoints }).endpoints;
    expect(lines('')).toBeDefined();
    expect(lines('a:2379')).toBeDefined();
    expect(lines('ftp://a')).toBeDefined();
    expect(lines('http://a '.repeat(10))).toBeDefined();
    expect(lines('http://a\nhttps://b:2379')).toBeUndefined();
    expect(mistakesOf({ ...formOf(etcd, 'etcd'), prefix: '' }).prefix).toBeDefined();
  });

  it('takes a port that is none', () => {
    expect(['1', '65535', ' 80'].map(portOf)).toEqual([1, 65_535, 80]);
    expect(['', '0', '65536', '8e3', '-1', 'x'].map(portOf)).toEqual([null, null, null, null, null, null]);
  });
});

describe('a place that cannot be chosen', () => {
  it('is offered without saying why it cannot be had', () => {
    expect(whyNot('this-hub', view())).not.toBe('');
    expect(whyNot('hub', view())).not.toBe('');
    expect(whyNot('embedded', view())).not.toBe('');
    expect(whyNot('postgres', view({ choice: postgres }))).toBe('');
    const hub = { isRunning: true, port: 7_411, addresses: [], fingerprint: '', trouble: '' };
    expect(whyNot('this-hub', view({ hub }))).toBe('');
    expect(whyNot('hub', view({ pairedHub: { name: 'Attic', addresses: [], fingerprint: '' } }))).toBe('');
  });

  it('is not told apart from another one of its kind', () => {
    expect(placeName(postgres, view())).toContain('db.example');
    expect(placeName(etcd, view())).toContain('https://a:2379');
    const paired = view({ pairedHub: { name: 'Attic', addresses: [], fingerprint: '' } });
    expect(placeName({ kind: 'hub' }, paired)).toBe('Attic');
    expect(placeName(embedded, view())).not.toBe(placeName({ kind: 'this-hub' }, view()));
  });
});
