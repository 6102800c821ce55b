import { useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import type { OverviewView } from '../../shared/contract/views.ts';
import { EverythingDialog } from '../features/agents/everything-dialog.tsx';
import { OnboardingPage } from '../features/onboarding/onboarding-page.tsx';
import { useIsConnected } from '../state/use-connection.ts';
import { useQuery } from '../state/use-query.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { Icon } from '../ui/icon.tsx';
import { useKeys } from '../ui/use-keys.ts';
import { HelpSheet } from './help-sheet.tsx';
import { Palette } from './palette.tsx';
import { placeOf, places } from './places.ts';
import { Rail } from './rail.tsx';
import { Routes } from './routes.tsx';
import { ScreenBoundary } from './screen-boundary.tsx';
import { StatusBar } from './status-bar.tsx';
import { text } from './strings.ts';
import { useTheme } from './theme.ts';

/** The window: rail, the current screen, status bar, and what floats above them. */
export function Shell() {
  useTheme();
  const overview = useQuery('overview.get', {});
  const [open, setOpen] = useState<'palette' | 'help' | 'control' | null>(null);
  const close = useCallback(() => setOpen(null), []);
  const [location] = useLocation();
  useWindowKeys({
    onHelp: () => setOpen('help'),
    onPalette: () => setOpen((now) => (now === 'palette' ? null : 'palette')),
  });
  useWindowTitle(overview.value);
  if (overview.value?.isFirstStart === true) {
    return (
      <ScreenBoundary>
        <OnboardingPage />
      </ScreenBoundary>
    );
  }
  return (
    <div className="app">
      <Rail overview={overview.value} onJump={() => setOpen('palette')} />
      <main className="main" id="main" tabIndex={-1}>
        <Banners overview={overview.value} />
        {overview.value === null && overview.problem !== null && (
          <ErrorState problem={overview.problem} onRetry={overview.refetch} />
        )}
        {overview.value !== null && (
          <ScreenBoundary key={placeOf(location)?.path ?? ''}>
            <Routes needsYou={overview.value.needsYou} />
          </ScreenBoundary>
        )}
      </main>
      <StatusBar overview={overview.value} onControl={() => setOpen('control')} />
      <Palette
        isOpen={open === 'palette'}
        onClose={close}
        onHelp={() => setOpen('help')}
        onControl={() => setOpen('control')}
      />
      {open === 'control' && <EverythingDialog onClose={close} />}
      <HelpSheet isOpen={open === 'help'} onClose={close} />
    </div>
  );
}

function Banners({ overview }: { readonly overview: OverviewView | null }) {
  const isConnected = useIsConnected();
  const store = overview?.store;
  return (
    <output>
      {!isConnected && (
        <span className="banner">
          <Icon name="s-wait" />
          {text.offline}
        </span>
      )}
      {store !== undefined && store.state !== 'ready' && (
        <span className="banner you">
          <Icon name="warn" />
          {store.message === '' ? text.store[store.state] : store.message}
        </span>
      )}
    </output>
  );
}

function useWindowKeys(options: { readonly onHelp: () => void; readonly onPalette: () => void }): void {
  const [, navigate] = useLocation();
  const { onPalette } = options;
  const unclear = useQuery('needs.list', {}).value?.unclear ?? [];
  const digits = Object.fromEntries(places.map((place, index) => [String(index + 1), () => navigate(place.path)]));
  useKeys({
    ...digits,
    '?': options.onHelp,
    '/': () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
    r: () => {
      const first = unclear[0];
      navigate(first === undefined ? '/needs' : `/needs/unclear/${encodeURIComponent(first.id)}`);
    },
  });
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey)
        return;
      event.preventDefault();
      onPalette();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  }, [onPalette]);
}

function useWindowTitle(overview: OverviewView | null): void {
  const needsYou = overview?.needsYou ?? 0;
  useEffect(() => {
    document.title = needsYou > 0 ? `(${needsYou}) Fencepost` : 'Fencepost';
  }, [needsYou]);
}
