import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from '@playwright/test';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { buildIfStale } from '../scripts/build.mjs';
import { findCommand } from '../scripts/platform.mjs';
import { buildLargeProfile, FULL_SIZE } from '../test/fixtures/large-profile/build-large-profile.ts';
import type { LargeProfile } from '../test/fixtures/large-profile/build-large-profile.ts';
import { streamRefusals } from '../test/fixtures/large-profile/live-refusals.ts';
import { HeadlessProcess } from '../test/harness/headless-process.ts';
import type { BenchResult } from './effect-cost.ts';
import { figure } from './measure.ts';
import { emptyFrames, frameFigures, FRAMES, heapOf, scrollFrames, threadMs, timeOpening } from './window-measure.ts';
import type { FrameFigures, Frames, Opening } from './window-measure.ts';

const VIEWPORT = { width: 1_280, height: 820 };

/** A screen that is opened and scrolled. */
interface Scene {
  readonly name: string;
  readonly place: string;
  /** There once the screen has something to show. */
  readonly row: string;
  readonly scroller: string;
  /** What is done before the scrolling. */
  readonly prepare?: (page: Page) => Promise<void>;
}

function scenesOf(profile: LargeProfile): Scene[] {
  const long = `/runs/${profile.longRunId}`;
  return [
    { name: 'runs', place: '/runs', row: '[id^="run-"][role="row"]', scroller: '.runs-scroll' },
    { name: 'long run, timeline', place: long, row: '.ev', scroller: '.rd-scroll' },
    { name: 'long run, effects', place: long, row: '.rd-lanelist .tr', scroller: '.rd-lanelist' },
    { name: 'long run, evidence', place: `${long}/evidence`, row: '.rd-row', scroller: '.rd-rows' },
    { name: 'long run, steps', place: `${long}/steps`, row: '.rd-step', scroller: '.rd-steps' },
    {
      name: 'runs, live refusals',
      place: '/runs',
      row: '[id^="run-"][role="row"]',
      scroller: '.runs-scroll',
      prepare: async (page) => {
        await streamRefusals(page);
        await page
          .getByRole('row', { name: /Refused.*Held back/u })
          .first()
          .waitFor();
      },
    },
    { name: 'refusals', place: '/refusals', row: '.rf-day', scroller: '.pane > .scroll' },
    {
      name: 'payload',
      place: `/runs/${profile.payloadRunId}/steps`,
      row: '.rd-step',
      scroller: '.payload pre',
      prepare: async (page) => {
        await page.locator('.rd-fold').first().click();
        await page.getByRole('button', { name: 'Show all of it' }).first().click();
        await page.getByRole('button', { name: 'Show all of it' }).nth(1).waitFor({ state: 'detached' });
      },
    },
  ];
}

/** The figures of one scene. */
interface Measured {
  readonly opening: Opening;
  readonly prepareMs: number;
  readonly frames: Frames;
  readonly figures: FrameFigures;
  /** Processor time of the page's thread in one frame, ms. */
  readonly cpuMs: number;
  readonly heapBytes: number;
  readonly nodes: number;
}

/** The built window in a real browser on the largest record: opening, scrolling, memory, and what moves by itself. */
export async function windowBench(): Promise<BenchResult> {
  buildIfStale();
  const folder = mkdtempSync(path.join(process.env['FENCEPOST_BENCH_FOLDER'] ?? tmpdir(), 'fencepost-window-'));
  try {
    const startedAt = performance.now();
    const profile = await buildLargeProfile(folder, FULL_SIZE);
    const builtMs = performance.now() - startedAt;
    return await measureWindow(folder, profile, builtMs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureWindow(folder: string, profile: LargeProfile, builtMs: number): Promise<BenchResult> {
  const host = await HeadlessProcess.start(folder);
  const browser = await launch();
  try {
    const context = await browser.newContext({ viewport: VIEWPORT });
    const first = await context.newPage();
    await first.goto(host.link);
    await first.getByRole('navigation', { name: 'Main' }).waitFor();
    await first.close();
    const probes: FrameFigures[] = [await probe(context)];
    const measured: [string, Measured][] = [];
    for (const scene of scenesOf(profile)) {
      measured.push([scene.name, await measureScene(context, host.origin, scene)]);
      probes.push(await probe(context));
    }
    return resultOf(measured, { probes, builtMs });
  } finally {
    await browser.close();
    await host.kill('SIGTERM');
  }
}

async function launch(): Promise<Browser> {
  const executablePath =
    process.env['FENCEPOST_CHROMIUM'] ??
    findCommand('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable');
  // Chromium's sandbox refuses root; the pages measured here are our own.
  return await chromium.launch({
    ...(executablePath ? { executablePath } : {}),
    chromiumSandbox: process.getuid?.() !== 0,
  });
}

async function probe(context: BrowserContext): Promise<FrameFigures> {
  const page = await context.newPage();
  const frames = await emptyFrames(page);
  await page.close();
  return frameFigures(frames);
}

async function measureScene(context: BrowserContext, origin: string, scene: Scene): Promise<Measured> {
  const page = await context.newPage();
  const opening = await timeOpening(page, `${origin}/#${scene.place}`, scene.row);
  const startedAt = performance.now();
  await scene.prepare?.(page);
  const prepareMs = performance.now() - startedAt;
  const session = await context.newCDPSession(page);
  const before = await threadMs(session);
  const frames = await scrollFrames(page, scene.scroller);
  const cpuMs = ((await threadMs(session)) - before) / FRAMES;
  const { bytes, nodes } = await heapOf(session);
  await page.close();
  return { opening, prepareMs, frames, figures: frameFigures(frames), cpuMs, heapBytes: bytes, nodes };
}

function resultOf(
  measured: readonly [string, Measured][],
  of: { readonly probes: readonly FrameFigures[]; readonly builtMs: number },
): BenchResult {
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  const probeLine = of.probes.map((each) => `${figure(each.p99)} (${percent(each.missed)})`).join(', ');
  const lines = measured.map(([name, each]) => {
    const { figures: f, opening } = each;
    return (
      `${name.padEnd(20)} paint ${figure(opening.firstPaintMs)} ms, rows ${figure(opening.firstRowMs)} ms` +
      `${name === 'payload' ? `, whole text ${figure(each.prepareMs)} ms` : ''}; processor ${figure(each.cpuMs)} ms a frame; frame ${figure(f.p50)} / ${figure(f.p95)} / ` +
      `${figure(f.p99)} ms, over 16.7 ms ${percent(f.late)}, frames missed ${percent(f.missed)}; ` +
      `shift ${(f.shift + opening.shift).toFixed(3)}; heap ${figure(each.heapBytes / 1_048_576)} MiB, ${each.nodes} nodes`
    );
  });
  const figures = Object.fromEntries(
    measured.flatMap(([name, each]) => [
      [`${name}: first paint, ms`, each.opening.firstPaintMs],
      [`${name}: first row, ms`, each.opening.firstRowMs],
      [`${name}: processor per frame, ms`, each.cpuMs],
      [`${name}: frame p99, ms`, each.figures.p99],
      [`${name}: frames over 16.7 ms, share`, each.figures.late],
      [`${name}: frames missed, share`, each.figures.missed],
      [`${name}: heap, bytes`, each.heapBytes],
      [`${name}: layout shift`, each.figures.shift + each.opening.shift],
    ]),
  );
  const rounds = Object.fromEntries(
    measured.map(([name, { figures: f }]) => [name, [{ p50: f.p50, p99: f.p99, perSecond: 0 }]]),
  );
  return {
    rounds,
    figures: { ...figures, builtMs: of.builtMs },
    lines: [
      `100,000 runs, a run of 100,000 entries and 10 MB of payload, built in ${figure(of.builtMs / 1_000)} s`,
      `the same movement on an empty page, p99 and frames missed, before and after each: ${probeLine}`,
      'frame: what style, layout, paint and scripts took in one, p50 / p95 / p99',
      ...lines,
    ],
  };
}
