import { create } from 'zustand';
import { layerAt } from '../../shared/contract/places.ts';
import type { Layer } from '../../shared/contract/places.ts';

/** What floats above the screen: the palette, the keys, the question about all agents, or what quitting waits for. */
export const useLayer = create<{ readonly open: Layer | null }>(() => ({ open: null }));

/** Opens a layer, in place of another one; `null` closes it. */
export function openLayer(open: Layer | null): void {
  useLayer.setState({ open });
}

/**
 * Takes the address of a layer, as the system's menu gives it, for what it means: the layer opens, and the screen below it
 * keeps its own address and everything that was typed there. Call it before anything else listens to the address.
 */
export function watchLayers(): void {
  let place = location.hash;
  const first = layerAt(place.replace(/^#/u, ''));
  // A window that was opened for a layer has no screen below it yet.
  if (first !== null) {
    place = '#/';
    history.replaceState(history.state, '', place);
    openLayer(first);
  }
  window.addEventListener('hashchange', (event) => {
    const layer = layerAt(location.hash.replace(/^#/u, ''));
    if (layer === null) {
      place = location.hash;
      return;
    }
    event.stopImmediatePropagation();
    history.replaceState(history.state, '', place === '' ? '#/' : place);
    openLayer(layer);
  });
}
