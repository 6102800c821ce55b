import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { must, problemOf } from '../../src/main/store/testing/temporary-folder.ts';
import type { AgentId } from '../../src/shared/contract/identifiers.ts';
import { freePort } from '../harness/mail-server.ts';
import { EVERYTHING_SERVER, FILESYSTEM_SERVER, Stage, strategyText } from './stage.ts';
import { WebTap } from './web-tap.ts';

const ODD_SERVER = path.resolve('test/fixtures/servers/odd-server.mjs');
let stage: Stage;
beforeEach(async () => (stage = await Stage.start()));
afterEach(async () => await stage.close());

/** One call of a tool server, after which a run is done. */
function caller(id: string, of: { servers: object; call: object; hosts?: string[]; ask?: boolean }): string {
  const { servers, call, hosts = [], ask = false } = of;
  const [server = ''] = Object.keys(servers);
  return strategyText(id, {
    scope: { servers, hosts },
    start: ask ? 'ask' : 'act',
    states: {
      act: { type: 'tool', call: { tool: 'mcp.call', server, ...call }, onSuccess: 'finish' },
      ...(ask
        ? { ask: { type: 'approve', question: 'Do it?', of: 'act', onSuccess: 'act', onFailure: 'finish' } }
        : {}),
    },
  });
}

const ECHO = { name: 'echo', arguments: { message: 'here' } };

describe('a tool server that dies during a call', () => {
  test('as a program: it is called again without a person, or once more than the person said', async () => {
    const servers = { every: stage.tapped('every', [EVERYTHING_SERVER]) };
    stage.makeDeadly('every');
    const runId = await stage.start(caller('echoes', { servers, call: ECHO }));
    await stage.bench.reaches(runId, 'needs-recovery');
    expect(stage.callsAt('every')).toEqual(['echo']);
    // Nor by a restart.
    await stage.restart();
    await stage.bench.reaches(runId, 'needs-recovery');
    await stage.answerUnclear(runId, 'send-again');
    expect(await stage.bench.ended(runId)).toBe('done');
    expect(stage.callsAt('every')).toEqual(['echo', 'echo']);
    expect(stage.outputOf(runId, 'act')).toMatchObject({ content: [{ text: 'Echo: here' }], isError: false });
  });

  test('over HTTP: what it had answered counts for nothing, or a call without an answer for not sent', async () => {
    const port = await freePort();
    const env = { ...process.env, PORT: String(port) };
    const child = spawn(process.execPath, [EVERYTHING_SERVER, 'streamableHttp'], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    // Its first words say that it listens.
    await once(child.stderr, 'data');
    const tap = await WebTap.start(port);
    onTestFinished(async () => await tap.close());
    const servers = { web: { url: `http://${tap.host}/mcp`, effects: {} } };
    const call = (id: string, name: string, given: object) =>
      caller(id, { servers, hosts: [tap.host], call: { name, arguments: given } });
    const sum = await stage.start(call('adds', 'get-sum', { a: 2, b: 40 }));
    expect(await stage.bench.ended(sum)).toBe('done');
    expect(JSON.stringify(stage.outputOf(sum, 'act'))).toContain('42');

    tap.onCall = () => child.kill('SIGKILL');
    const slow = await stage.start(call('waits', 'trigger-long-running-operation', { duration: 60, steps: 60 }));
    await stage.bench.reaches(slow, 'needs-recovery');
    await stage.answerUnclear(slow, 'it-happened');
    expect(await stage.bench.ended(slow)).toBe('done');
    expect(tap.calls).toEqual(['get-sum', 'trigger-long-running-operation']);
  });
});

describe('a tool server that is not what a person agreed to any more', () => {
  test('what it says about a tool has changed since the yes, and the call leaves all the same', async () => {
    const log = path.join(stage.folder, 'odd.log');
    const servers = { odd: { ...stage.tapped('odd', [ODD_SERVER]), env: { ODD_LOG: log } } };
    const asks = await stage.start(
      caller('asks', { servers, call: { name: 'echo', arguments: { word: 'aa' } }, ask: true }),
    );
    await stage.bench.reaches(asks, 'needs-approval');
    // The same command line is the same server: another agent makes it change, and it tells everybody.
    const changes = await stage.start(caller('changes', { servers, call: { name: 'change', arguments: {} } }));
    expect(await stage.bench.ended(changes)).toBe('done');
    await stage.allow();
    await stage.bench.until('it is asked anew', () => stage.questions().length === 2);
    expect(stage.questions()).toEqual(['stale: input-changed', 'open']);
    expect(stage.callsAt('odd')).toEqual(['change']);
    await stage.allow();
    expect(await stage.bench.ended(asks)).toBe('done');
    expect(stage.callsAt('odd')).toEqual(['change', 'echo']);
  });

  test('its command line has changed, and the old permission counts for the new one', async () => {
    const narrow = stage.tapped('files', [FILESYSTEM_SERVER, stage.folder]);
    const wide = stage.tapped('files', [FILESYSTEM_SERVER, stage.folder, path.dirname(stage.folder)]);
    const call = { name: 'list_allowed_directories', arguments: {} };
    const { control } = stage.bench.host;
    const agentId = 'lists' as AgentId;
    const press = async (requestId: string) => await control.startRun({ agentId, requestId, input: {}, by: 'Test' });

    expect(await stage.bench.ended(await stage.start(caller('lists', { servers: { files: narrow }, call })))).toBe(
      'done',
    );
    must(await control.saveAgent('lists.yaml', caller('lists', { servers: { files: wide }, call })));
    expect(problemOf(await press('press-2')).message).toMatch(/permission|allowed|authorise/iu);
    expect(stage.callsAt('files')).toHaveLength(1);
    await stage.bench.authorise(agentId);
    const { runId } = must(await press('press-3'));
    expect(await stage.bench.ended(runId)).toBe('done');
    expect(stage.callsAt('files')).toHaveLength(2);
    expect(JSON.stringify(stage.outputOf(runId, 'act'))).toContain(path.dirname(stage.folder));
  });
});
