import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Receiver } from '../../../test/harness/receiver.ts';
import type { AgentId } from '../../shared/contract/identifiers.ts';
import { must, useTemporaryFolders } from '../store/testing/temporary-folder.ts';
import { OPEN_TERMS } from '../store/transactions/give-grant.ts';
import type { GrantTerms } from '../store/transactions/give-grant.ts';
import { HostBench, twoSteps } from './testing/host-bench.ts';

const newFolder = useTemporaryFolders();
const HOUR_MS = 3_600_000;

describe('a permission', { timeout: 60_000 }, () => {
  let receiver: Receiver;
  let bench: HostBench;
  let folder: string;
  beforeEach(async () => {
    receiver = await Receiver.start();
    folder = newFolder();
    bench = await HostBench.start(folder);
  });
  afterEach(async () => {
    await bench.close();
    await receiver.close();
  });

  async function authorise(agentId: AgentId, terms: Partial<GrantTerms>) {
    const { control } = bench.host;
    const given = { ...OPEN_TERMS, ...terms };
    const { previewDigest } = must(control.previewGrant(agentId, given));
    return control.authorise(agentId, previewDigest, 'Test', given);
  }

  function start(agentId: AgentId, requestId: string) {
    return bench.host.control.startRun({ agentId, requestId, input: {}, by: 'Test' });
  }

  function pass(ms: number): void {
    bench.clock.shift({ wallMs: ms, monotonicMs: ms, bootMs: ms });
  }

  function inAnHour(): number {
    return bench.clock.read().wallMs + HOUR_MS;
  }

  it('is given with other devices, another end, another number or another revision than were looked at', async () => {
    const agentId = await bench.agent(twoSteps('shown', receiver.origin));
    const { control } = bench.host;
    const here = { devices: [control.device.deviceId], expiresAtMs: inAnHour() };
    const { previewDigest } = must(control.previewGrant(agentId, here));
    for (const other of [
      OPEN_TERMS,
      { ...here, devices: '*' as const },
      { ...here, expiresAtMs: here.expiresAtMs + 1 },
    ])
      expect(await control.authorise(agentId, previewDigest, 'Test', other)).toMatchObject({
        ok: false,
        error: { code: 'grant-stale' },
      });
    expect(await control.authorise(agentId, previewDigest, 'Test', here)).toMatchObject({ ok: true });
    expect(await control.authorise(agentId, previewDigest, 'Test', here)).toMatchObject({
      ok: false,
      error: { code: 'grant-stale' },
    });
    const next = must(control.previewGrant(agentId, here));
    must(await control.saveAgent('strategy.yaml', twoSteps('shown', receiver.origin).replace('Test shown', 'Changed')));
    expect(await control.authorise(agentId, next.previewDigest, 'Test', here)).toMatchObject({
      ok: false,
      error: { code: 'grant-stale' },
    });
    expect(control.previewGrant(agentId, { ...here, devices: [] })).toMatchObject({ ok: false });
    expect(control.previewGrant(agentId, { ...here, expiresAtMs: 1 })).toMatchObject({ ok: false });
  });

  it('for another device lets this one act', async () => {
    const agentId = await bench.agent(twoSteps('there', receiver.origin));
    must(await authorise(agentId, { devices: ['another-device'] }));
    expect(await start(agentId, 'press one')).toMatchObject({
      ok: false,
      error: { code: 'grant-missing', message: expect.stringContaining('this device') },
    });
    must(await authorise(agentId, { devices: [bench.host.control.device.deviceId] }));
    expect(await bench.ended(must(await start(agentId, 'press two')).runId)).toBe('done');
  });

  it('that ran out while a run was under way lets its next step out, or does not say when it ended', async () => {
    const agentId = await bench.agent(twoSteps('late', receiver.origin));
    const expiresAtMs = inAnHour();
    must(await authorise(agentId, { expiresAtMs }));
    bench.at('after-settle', () => pass(HOUR_MS));
    const { runId } = must(await start(agentId, 'press one'));
    await bench.until('it is refused', () => bench.refusals().includes('gate: authority-missing'));
    expect(receiver.hits('/late/second')).toBe(0);
    const [fact] = bench.rows<{ facts: string }>(`SELECT facts FROM refusals WHERE reason = 'authority-missing'`);
    expect(JSON.parse(fact?.facts ?? '{}')).toMatchObject({ permission: { kind: 'expired', expiresAtMs } });
    expect(await start(agentId, 'press two')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('ended on') },
    });
    await bench.authorise(agentId);
    expect(await bench.ended(runId)).toBe('done');
    expect(receiver.hits('/late/second')).toBe(1);
  });

  it('that ran out between the gate and the send lets it out', async () => {
    const agentId = await bench.agent(twoSteps('between', receiver.origin));
    const expiresAtMs = bench.clock.read().wallMs + 1_500;
    must(await authorise(agentId, { expiresAtMs }));
    // All clocks go on together, and for less than a lease lasts: nothing but the end of the permission can be the reason.
    bench.at('after-in-flight', () => pass(expiresAtMs - bench.clock.read().wallMs));
    must(await start(agentId, 'press one'));
    await bench.until('it is refused', () => bench.refusals().includes('gate: authority-missing'));
    expect(receiver.received).toHaveLength(0);
    expect(bench.refusals()).toContain('fence: permission-ended');
  });

  it('is revived by a calendar that is set back, at once or over a restart', async () => {
    const agentId = await bench.agent(twoSteps('back', receiver.origin));
    must(await authorise(agentId, { expiresAtMs: inAnHour() }));
    pass(HOUR_MS + 1);
    await bench.until('its end is noted', () => bench.count('grant.expired') === 1);
    bench.clock.shift({ wallMs: -10 * HOUR_MS });
    expect(await start(agentId, 'press one')).toMatchObject({ ok: false, error: { code: 'grant-missing' } });
    await bench.close();
    bench = await HostBench.start(folder);
    expect(await start(agentId, 'press two')).toMatchObject({ ok: false, error: { code: 'grant-missing' } });
    expect(bench.count('grant.expired')).toBe(1);
  });
});
