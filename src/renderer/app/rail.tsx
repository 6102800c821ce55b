import { Link, useLocation } from 'wouter';
import type { OverviewView } from '../../shared/contract/views.ts';
import { deviceIcon } from '../ui/device-name.tsx';
import { Icon } from '../ui/icon.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { ariaKeys, commandCaps, keyCaps, shortcutNamed } from '../../shared/contract/shortcuts.ts';
import { isMac } from '../ui/is-mac.ts';
import { placeOf, places } from './places.ts';
import type { Place } from './places.ts';
import { text } from './strings.ts';

/** The list of places at the left, with what needs a person on top. */
export function Rail(props: { readonly overview: OverviewView | null; readonly onJump: () => void }) {
  const { overview } = props;
  const [location] = useLocation();
  const current = placeOf(location);
  const hasLights = overview?.platform === 'macos' && overview.surface === 'window';
  const jump = shortcutNamed('palette');
  const group = (name: Place['group']) => (
    <div className={name === 'last' ? 'nav last' : 'nav'}>
      {places
        .filter((place) => place.group === name)
        .map((place) => (
          <RailLink key={place.path} place={place} isCurrent={place === current} overview={overview} />
        ))}
    </div>
  );
  return (
    <nav className={hasLights ? 'rail with-lights' : 'rail'} aria-label={text.main}>
      {hasLights && <div className="lights" aria-hidden="true" />}
      <button
        type="button"
        className="jump"
        onClick={props.onJump}
        aria-haspopup="dialog"
        aria-keyshortcuts={ariaKeys(jump, isMac)}
      >
        <Icon name="search" />
        <span className="word">{text.jump}</span>
        <kbd aria-hidden="true">{commandCaps(jump, isMac).join(isMac ? '' : ' ')}</kbd>
      </button>
      {group('top')}
      <h2>{text.groupAgents}</h2>
      {group('agents')}
      <h2>{text.groupSafety}</h2>
      {group('safety')}
      <h2>{text.groupDevices}</h2>
      {group('devices')}
      {group('last')}
      {overview !== null && <ThisDevice overview={overview} />}
    </nav>
  );
}

function RailLink(props: {
  readonly place: Place;
  readonly isCurrent: boolean;
  readonly overview: OverviewView | null;
}) {
  const { place, isCurrent, overview } = props;
  const shortcut = shortcutNamed(`place-${places.indexOf(place) + 1}`);
  return (
    <Link
      href={place.path}
      aria-current={isCurrent ? 'page' : undefined}
      aria-keyshortcuts={ariaKeys(shortcut, isMac)}
      title={text.withKey(place.label, keyCaps(shortcut, isMac))}
    >
      <Icon name={place.icon} />
      <span className="word">{place.label}</span>
      {overview !== null && <RailCount path={place.path} overview={overview} />}
    </Link>
  );
}

function RailCount({ path, overview }: { readonly path: string; readonly overview: OverviewView }) {
  if (path === '/needs' && overview.needsYou > 0) {
    return (
      <span className="count-needs">
        {overview.needsYou}
        <span className="sr-only"> {text.needYou(overview.needsYou).replace(/^\d+ /u, '')}</span>
      </span>
    );
  }
  const count = path === '/agents' ? overview.agents : path === '/refusals' ? overview.refusals : 0;
  return count > 0 ? <span className="n">{count.toLocaleString('en')}</span> : null;
}

function ThisDevice({ overview }: { readonly overview: OverviewView }) {
  return (
    <div className="me" title={text.thisDevice}>
      <span className="ink3">
        <Icon name={deviceIcon(overview.device.name)} />
      </span>
      <span className="cut word">
        <span className="medium">
          <VisibleText text={overview.device.name} />
        </span>
        <br />
        <span className="t11 ink3">{text.mayAct(overview.mayActFor, overview.agents)}</span>
      </span>
    </div>
  );
}
