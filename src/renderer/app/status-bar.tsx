import type { OverviewView } from '../../shared/contract/views.ts';
import { text as controlText } from '../features/agents/control-strings.ts';
import { useIsConnected } from '../state/use-connection.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { statusTime } from '../ui/time-words.ts';
import { useNow } from '../ui/use-now.ts';
import { VisibleText } from '../ui/visible-text.tsx';
import { text } from './strings.ts';
import { SyncChip } from './sync-chip.tsx';

/** What runs, who keeps the right to act, and what time it is. */
export function StatusBar({
  overview,
  onControl,
}: {
  readonly overview: OverviewView | null;
  readonly onControl: () => void;
}) {
  const nowMs = useNow(10_000);
  const isConnected = useIsConnected();
  return (
    <footer className="status">
      {!isConnected && (
        <span className="alert">
          <Icon name="s-wait" size="small" />
          {text.notConnected}
        </span>
      )}
      {overview !== null && isConnected && (
        <>
          <span>
            <Icon name="s-run" size="small" />
            {text.running(overview.running)}
          </span>
          {(overview.hold !== null || overview.isPaused) && (
            <span className="alert">
              <Icon name="pause" size="small" />
              {overview.hold?.state === 'pause-requested' ? text.pauseRequested : text.paused}
            </span>
          )}
          <Button variant="quiet" size="small" icon="hand" onClick={onControl}>
            {controlText.everything}
          </Button>
          {overview.sync !== null && overview.sync.state !== 'off' && <SyncChip chip={overview.sync} />}
          <Coordinator coordinator={overview.coordinator} />
          {overview.surface === 'browser' && (
            <span>
              <Icon name="globe" size="small" />
              {text.inBrowser}
            </span>
          )}
        </>
      )}
      <span className={overview === null || !isConnected ? 'right' : undefined}>
        <time dateTime={new Date(nowMs).toISOString()}>{statusTime(nowMs)}</time>
      </span>
    </footer>
  );
}

function Coordinator({ coordinator }: { readonly coordinator: OverviewView['coordinator'] }) {
  const { name, state, answeredMs } = coordinator;
  const words =
    state === 'ready' ? text.keeps(name) : state === 'unreachable' ? text.unreachable(name) : text.wentBack(name);
  return (
    <output className={state === 'ready' ? 'right' : 'right alert'}>
      <Icon name={state === 'ready' ? 'server' : 'warn'} size="small" />
      <span>
        <VisibleText text={words} />
        {state === 'ready' && answeredMs !== null && ` · ${text.answered(answeredMs)}`}
      </span>
    </output>
  );
}
