import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { useHashLocation } from 'wouter/use-hash-location';
import { Shell } from './app/shell.tsx';
import { chooseFont } from './app/theme.ts';
import { hostBridge } from './state/host-store.ts';
import { watchLayers } from './state/layers.ts';

const root = document.querySelector('#root');
if (root === null) throw new Error('The page has no root element.');

chooseFont();
watchLayers();
hostBridge();
createRoot(root).render(
  <StrictMode>
    {/* The content security policy has no room for style elements. */}
    <CSPProvider disableStyleElements>
      <Tooltip.Provider delay={500}>
        <Router hook={useHashLocation}>
          <Shell />
        </Router>
      </Tooltip.Provider>
    </CSPProvider>
  </StrictMode>,
);
