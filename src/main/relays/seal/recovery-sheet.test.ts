import { describe, expect, it } from 'vitest';
import { recoverySheetHtml } from './recovery-sheet.ts';
import { newSpaceSecret, readRecoveryWords, recoveryWordsOf, spaceIdOf } from './space-secret.ts';

const secret = newSpaceSecret();
const words = recoveryWordsOf(secret);
const sheet = { words, spaceId: spaceIdOf(secret), madeOn: '30 November 2026' };

describe('the recovery sheet', () => {
  it('what is printed does not open the space again', () => {
    const html = recoverySheetHtml(sheet);
    const printed = html.slice(html.indexOf('<ol'), html.indexOf('</ol>')).replaceAll(/<[^>]*>/gu, ' ');
    expect(printed).toContain(`24. ${words[23] ?? ''}`.replace('. ', '.  '));
    expect(readRecoveryWords(printed)).toEqual({ ok: true, value: secret });
  });

  it('the page fetches or runs something, and the words leave the device', () => {
    const html = recoverySheetHtml(sheet);
    expect(html).not.toMatch(/<script|<link|<img|<iframe|src=|href=|url\(|@import|https?:/iu);
    expect(html).toContain("default-src 'none'");
    expect(html).toContain('size: A4');
  });

  it('a person cannot tell which devices it is for, or the title of the window gives words away', () => {
    const html = recoverySheetHtml(sheet);
    expect(html).toContain(`${sheet.spaceId.slice(0, 4).toUpperCase()}-${sheet.spaceId.slice(4, 8).toUpperCase()}`);
    expect(html).toContain('Made on 30 November 2026.');
    expect(html).toContain('<title>Fencepost recovery sheet</title>');
  });

  it('what the caller gives becomes part of the page', () => {
    const nasty = `<script>&"'`;
    const html = recoverySheetHtml({ words: [nasty], spaceId: nasty, madeOn: nasty });
    expect(html).not.toContain('<script');
    expect(html.match(/&#60;script&#62;&#38;&#34;&#39;/gu)).toHaveLength(2);
  });
});
