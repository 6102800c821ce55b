import { useCallback, useEffect } from 'react';
import { useLocation } from 'wouter';
import type { OverviewView } from '../../shared/contract/views.ts';
import { EverythingDialog } from '../features/agents/everything-dialog.tsx';
import { OnboardingPage } from '../features/onboarding/onboarding-page.tsx';
import { openLayer, useLayer } from '../state/layers.ts';
import { HEARTBEAT_MS } from '../state/read-pace.ts';
import { useFreshness } from '../state/use-connection.ts';
import { useQuery } from '../state/use-query.ts';
import { useRefetchEvery } from '../state/use-refetch-every.ts';
import { ErrorState } from '../ui/error-state.tsx';
import { Icon } from '../ui/icon.tsx';
import { useShortcuts } from '../ui/use-shortcuts.ts';
import { AsleepSummary } from './asleep-summary.tsx';
import { HelpSheet } from './help-sheet.tsx';
import { LeavingSheet } from './leaving-sheet.tsx';
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
  // A host that stands still sends no notice of that.
  useRefetchEvery(overview, HEARTBEAT_MS);
  const freshness = useFreshness();
  const open = useLayer((state) => state.open);
  const close = useCallback(() => openLayer(null), []);
  const [location] = useLocation();
  useWindowKeys();
  useWindowTitle(overview.value);
  if (overview.value?.isFirstStart === true) {
    return (
      <ScreenBoundary>
        <OnboardingPage />
      </ScreenBoundary>
    );
  }
  return (
    <div className={freshness === 'current' ? 'app' : 'app stale'}>
      <Rail overview={overview.value} onJump={() => openLayer('palette')} />
      <main className="main" id="main" tabIndex={-1}>
        <Banners overview={overview.value} />
        {overview.value !== null && <AsleepSummary deviceName={overview.value.device.name} />}
        {overview.value === null && overview.problem !== null && (
          <ErrorState problem={overview.problem} onRetry={overview.refetch} />
        )}
        {overview.value !== null && (
          <ScreenBoundary key={placeOf(location)?.path ?? ''}>
            <Routes needsYou={overview.value.needsYou} />
          </ScreenBoundary>
        )}
      </main>
      <StatusBar overview={overview.value} onControl={() => openLayer('control')} />
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'control' && <EverythingDialog onClose={close} />}
      {open === 'help' && <HelpSheet onClose={close} />}
      {open === 'leaving' && <LeavingSheet onClose={close} />}
    </div>
  );
}

function Banners({ overview }: { readonly overview: OverviewView | null }) {
  const freshness = useFreshness();
  const store = overview?.store;
  return (
    <output>
      {freshness !== 'current' && (
        <span className="banner">
          <Icon name="s-wait" />
          {text[freshness]}
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

function useWindowKeys(): void {
  const [, navigate] = useLocation();
  const unclear = useQuery('needs.list', {}).value?.unclear ?? [];
  const digits = Object.fromEntries(places.map((place, index) => [`place-${index + 1}`, () => navigate(place.path)]));
  useShortcuts({
    ...digits,
    help: () => toggle('help'),
    palette: () => toggle('palette'),
    'search-here': () => document.querySelector<HTMLInputElement>('[data-search]')?.focus(),
    'first-unclear': () => {
      const first = unclear[0];
      navigate(first === undefined ? '/needs' : `/needs/unclear/${encodeURIComponent(first.id)}`);
    },
  });
}

/** A second press closes it. A question that is open stays: nothing may cover what is being decided. */
function toggle(layer: 'palette' | 'help'): void {
  const { open } = useLayer.getState();
  if (document.querySelector('.dialog') !== null && open !== 'palette' && open !== 'help') return;
  openLayer(open === layer ? null : layer);
}

function useWindowTitle(overview: OverviewView | null): void {
  const needsYou = overview?.needsYou ?? 0;
  useEffect(() => {
    document.title = needsYou > 0 ? `(${needsYou}) Fencepost` : 'Fencepost';
  }, [needsYou]);
}
