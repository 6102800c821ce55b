import type { DeviceRow as Device } from '../../../shared/contract/coordinator-views.ts';
import { visibleText } from '../../../shared/lib/visible-text.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { deviceIcon } from '../../ui/device-name.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Cell, Row } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { text } from './strings.ts';

/** One device: what it is, whether it is there, for which agents it may act. */
export function DeviceRow(props: {
  readonly device: Device;
  readonly index: number;
  readonly onRename: () => void;
  readonly onRemove: () => void;
}) {
  const { device } = props;
  const plainName = visibleText(device.name);
  return (
    <Row index={props.index}>
      <Cell>
        <span className="dv-device">
          <span className="dv-mark">
            <Icon name={device.isHub ? 'server' : deviceIcon(device.name)} />
          </span>
          <span className="dv-two">
            <span className="dv-name">
              <bdi className="medium cut" title={plainName}>
                <VisibleText text={device.name} />
              </bdi>
              {device.isThis && <Badge tone="accent">{text.thisDevice}</Badge>}
              {device.isHub && <Badge>{text.hub}</Badge>}
            </span>
            <span className="t11 ink3">
              <VisibleText text={text.version(device.version)} />
            </span>
          </span>
        </span>
      </Cell>
      <Cell>
        <Now device={device} />
      </Cell>
      <Cell>
        <span className="dv-two">
          <span>{text.agents(device.agentNames.length)}</span>
          <span className="t11 ink3 cut" title={visibleText(device.agentNames.join(', '))}>
            <VisibleText text={device.agentNames.join(', ')} />
          </span>
        </span>
      </Cell>
      <Cell className="ink2 nw">{device.pairedAtMs === null ? '' : <Time atMs={device.pairedAtMs} />}</Cell>
      <Cell className="dv-acts">
        {device.canRename && (
          <Button size="small" variant="quiet" label={text.renameNamed(plainName)} onClick={props.onRename}>
            {text.rename}
          </Button>
        )}
        {device.canRevoke && (
          <Button size="small" variant="quiet" label={text.removeNamed(plainName)} onClick={props.onRemove}>
            {text.remove}
          </Button>
        )}
      </Cell>
    </Row>
  );
}

function Now({ device }: { readonly device: Device }) {
  const isThere = device.isThis || device.isOnline;
  return (
    <span className="dv-two">
      <span className={isThere ? 'device' : 'device ink2'}>
        <Icon name={isThere ? 's-on' : 's-wait'} />
        {isThere ? text.online : text.offline}
      </span>
      <span className="t11 ink3 dv-under">
        {device.isThis ? (
          text.here
        ) : device.lastSeenAtMs === null ? (
          device.isOnline ? (
            text.connected
          ) : device.isHub ? (
            text.noAnswer
          ) : (
            text.neverSeen
          )
        ) : (
          <>
            {text.seen} <Time atMs={device.lastSeenAtMs} format={device.isOnline ? 'relative' : 'both'} />
          </>
        )}
      </span>
    </span>
  );
}
