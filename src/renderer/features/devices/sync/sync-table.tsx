import type { ReactNode } from 'react';
import type { SyncDeviceRow } from '../../../../shared/contract/sync-views.ts';
import { visibleText } from '../../../../shared/lib/visible-text.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { deviceIcon } from '../../../ui/device-name.tsx';
import { Icon } from '../../../ui/icon.tsx';
import type { IconName } from '../../../ui/icon-shapes.tsx';
import { Cell, Row, Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { text } from './strings.ts';
import { clockText, standingOf } from './sync-model.ts';
import type { Standing } from './sync-model.ts';

const { columns } = text;
const COLUMNS = [
  columns.device,
  columns.now,
  columns.rights,
  columns.sent,
  columns.received,
  columns.clock,
  columns.acts,
].map((label) => ({ label }));

const looks: Readonly<Record<Standing, { readonly icon: IconName; readonly tone: string; readonly word: string }>> = {
  here: { icon: 's-on', tone: '', word: text.now.here },
  away: { icon: 'moon', tone: 'ink2', word: text.now.away },
  silent: { icon: 's-missed', tone: 'ink2', word: text.now.silent },
  'let-go': { icon: 's-stop', tone: 'ink2', word: text.now.letGo },
  aside: { icon: 's-ref', tone: 'sy-aside', word: text.now.aside },
  unseen: { icon: 's-wait', tone: 'ink2', word: text.now.unseen },
};

/** Every device that shares the record, and how far each has what. */
export function SyncTable(props: {
  readonly devices: readonly SyncDeviceRow[];
  readonly onLetGo: (device: SyncDeviceRow) => void;
}) {
  const { devices } = props;
  const written = devices.find((device) => device.isThisDevice)?.knownSeq ?? 0;
  return (
    <Table label={text.table} className="sy-table" columns={COLUMNS} rowCount={devices.length + 1}>
      {devices.map((device, index) => (
        <DeviceLine
          key={device.deviceId}
          device={device}
          written={written}
          index={index + 2}
          onLetGo={() => props.onLetGo(device)}
        />
      ))}
    </Table>
  );
}

function DeviceLine(props: {
  readonly device: SyncDeviceRow;
  readonly written: number;
  readonly index: number;
  readonly onLetGo: () => void;
}) {
  const { device } = props;
  const plainName = visibleText(device.name);
  const agents = device.leases.join(', ');
  return (
    <Row index={props.index}>
      <Cell>
        <span className="dv-device">
          <span className="dv-mark">
            <Icon name={deviceIcon(device.name)} />
          </span>
          <span className="dv-two">
            <span className="dv-name">
              <bdi className="medium cut" title={plainName}>
                <VisibleText text={device.name} />
              </bdi>
              {device.isThisDevice && <Badge tone="accent">{text.thisDevice}</Badge>}
            </span>
            <span className="t11 ink3 cut">
              <VisibleText text={text.version(device.version)} />
            </span>
          </span>
        </span>
      </Cell>
      <Cell>
        <Now device={device} />
      </Cell>
      <Cell>
        <Two under={<VisibleText text={agents} />} title={visibleText(agents)}>
          {text.agents(device.leases.length)}
        </Two>
      </Cell>
      <Cell>
        <Sent device={device} written={props.written} />
      </Cell>
      <Cell>
        <Received device={device} />
      </Cell>
      <Cell>
        <Clock device={device} />
      </Cell>
      <Cell className="dv-acts">
        {!device.isThisDevice && device.letGoAtMs === null && (
          <Button size="small" variant="quiet" label={text.letGoNamed(plainName)} onClick={props.onLetGo}>
            {text.letGo}
          </Button>
        )}
      </Cell>
    </Row>
  );
}

function Two(props: { readonly children: ReactNode; readonly under?: ReactNode; readonly title?: string }) {
  return (
    <span className="dv-two">
      <span className="num">{props.children}</span>
      <span className="t11 ink3 cut num" title={props.title}>
        {props.under}
      </span>
    </span>
  );
}

function Now({ device }: { readonly device: SyncDeviceRow }) {
  const standing = standingOf(device, useNow(10_000));
  const look = looks[standing];
  const since = standing === 'let-go' ? device.letGoAtMs : standing === 'aside' ? device.quarantine?.sinceMs : null;
  return (
    <span className="dv-two">
      <span className={`device ${look.tone}`}>
        <Icon name={look.icon} />
        {look.word}
      </span>
      <span className="t11 ink3 dv-under cut">
        {device.isThisDevice ? (
          text.now.inFront
        ) : since === null || since === undefined ? (
          device.lastSeenAtMs !== null && (
            <>
              {text.now.seen} <Time atMs={device.lastSeenAtMs} format="relative" />
            </>
          )
        ) : (
          <>
            {text.now.since} <Time atMs={since} />
          </>
        )}
      </span>
    </span>
  );
}

/** For this device: what it handed over. For another: what it has of this one. */
function Sent({ device, written }: { readonly device: SyncDeviceRow; readonly written: number }) {
  if (device.isThisDevice) {
    const left = device.knownSeq - device.relaySeq;
    if (left <= 0) return <Two under={text.handedOver(device.knownSeq)}>{text.thisDevice}</Two>;
    return (
      <Two
        under={
          device.oldestUnsentAtMs !== null && (
            <>
              {text.oldest} <Time atMs={device.oldestUnsentAtMs} format="relative" />
            </>
          )
        }
      >
        {text.notHandedOver(left)}
      </Two>
    );
  }
  if (device.letGoAtMs !== null) return <span className="ink3">{text.nothingSent}</span>;
  if (device.lacksOfOurs === 0) return <Two>{text.allOf(written)}</Two>;
  return (
    <Two under={text.upTo(Math.max(0, written - device.lacksOfOurs), written)}>
      {text.waitForIt(device.lacksOfOurs)}
    </Two>
  );
}

function Received({ device }: { readonly device: SyncDeviceRow }) {
  if (device.isThisDevice) return <span className="ink3">{text.thisDevice}</span>;
  const left = device.relaySeq - device.knownSeq;
  if (left <= 0) return <Two>{text.allOf(device.knownSeq)}</Two>;
  const isApart = device.quarantine !== null || device.letGoAtMs !== null;
  return (
    <Two under={text.upTo(device.knownSeq, device.relaySeq)}>{isApart ? text.keptApart(left) : text.toCome(left)}</Two>
  );
}

function Clock({ device }: { readonly device: SyncDeviceRow }) {
  if (device.isThisDevice) return <span className="ink3">{text.thisDevice}</span>;
  const words = clockText(device.clockOffsetMs);
  if (words === null) return <span className="ink3">{text.clockUnknown}</span>;
  return <span className="ink2 num nw">{words === '' ? text.clockRight : words}</span>;
}
