import { assert, property, string, webPath } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkAmong, linkToRun, placeOfLink } from './deep-link.ts';
import { layerAt, LAYERS, layerPath, NO_LINK_PATH, PLACES } from './places.ts';

const ALLOWED = /^\/(?:no-link|needs|runs|agents|schedules|leases|refusals|devices|settings)(?:\/|$)/u;

describe('links into the window', () => {
  it('leads somewhere else than it says', () => {
    expect(placeOfLink('fencepost://run/0198c1f2-7d4e')).toBe('/runs/0198c1f2-7d4e');
    expect(placeOfLink('fencepost://run/0198c1f2-7d4e/event/41')).toBe('/runs/0198c1f2-7d4e/timeline/41');
    expect(placeOfLink('FENCEPOST://agent/bill-payer')).toBe('/agents/bill-payer');
    expect(placeOfLink('fencepost://unclear/token%231')).toBe('/needs/unclear/token%231');
    expect(placeOfLink('fencepost://question/a1')).toBe('/needs/approve/a1');
    // Windows adds a slash to a link without one.
    expect(placeOfLink('fencepost://needs/')).toBe('/needs');
    for (const { path } of PLACES) expect(placeOfLink(`fencepost:/${path}`)).toBe(path);
    expect(placeOfLink(linkToRun('a/b ?#%'))).toBe('/runs/a%2Fb%20%3F%23%25');
  });

  it('takes the secret of a pairing into an address', () => {
    expect(placeOfLink('fencepost://pair?hub=10.0.0.2:7411&pin=abc&code=K7QD')).toBe('/devices');
  });

  it('takes what is no name of a place', () => {
    for (const link of [
      '',
      'fencepost:',
      'fencepost://',
      'fencepost://run',
      'fencepost://run/',
      'fencepost://run/a/b',
      'fencepost://run/a/event/1/x',
      'fencepost://run/a/event/-1',
      'fencepost://run/%E0%A4%A',
      'fencepost://run/%00',
      'fencepost://run/%20a',
      'fencepost://run/a?do=stop',
      'fencepost://run/a#/settings',
      'fencepost://user:pw@run/a',
      'fencepost://run:80/a',
      'fencepost://open/palette',
      'fencepost://stop/a',
      'fencepost://onboarding',
      'https://run/a',
      'javascript:alert(1)',
      `fencepost://run/${'a'.repeat(161)}`,
      `fencepost://run/${'a'.repeat(5_000)}`,
    ]) {
      expect(placeOfLink(link), link).toBe(NO_LINK_PATH);
    }
  });

  it('leaves the window by any text at all', () => {
    assert(
      property(string({ unit: 'binary' }), webPath(), (text, path) => {
        for (const link of [`fencepost://${text}`, `fencepost:/${path}`, text, `fencepost://run${path}`])
          expect(placeOfLink(link)).toMatch(ALLOWED);
      }),
    );
  });

  it('is not found among the arguments of a start', () => {
    expect(linkAmong(['--flag', '.', 'Fencepost://run/a'])).toBe('Fencepost://run/a');
    expect(linkAmong(['--url=fencepost://run/a'])).toBeNull();
  });

  it('confuses a layer with a screen', () => {
    for (const layer of LAYERS) expect(layerAt(layerPath(layer))).toBe(layer);
    expect(layerAt('/open/nothing')).toBeNull();
    expect(layerAt('/runs')).toBeNull();
  });
});
