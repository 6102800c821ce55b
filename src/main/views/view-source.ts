import type { HostControl } from '../host/control.ts';
import type { Connection } from '../store/connection.ts';

/** What a view is made from: the open record, this device, and what the host remembers about leases. Nothing is written. */
export interface ViewSource extends Pick<
  HostControl,
  'device' | 'hostId' | 'leaseStatus' | 'strategyOf' | 'liveOf' | 'peerName' | 'awaited' | 'signIns'
> {
  readonly connection: Connection;
  readonly nowMs: number;
  /** The register that keeps the right to act, by name. */
  readonly coordinatorName: string;
}

/** The source of one answer; `null` while the record is being opened again. */
export function viewSource(control: HostControl): ViewSource | null {
  const connection = control.connection();
  if (connection === null) return null;
  return {
    connection,
    device: control.device,
    hostId: control.hostId,
    nowMs: control.nowMs(),
    coordinatorName: control.coordinatorState().name,
    awaited: control.awaited,
    signIns: control.signIns,
    peerName: (deviceId) => control.peerName(deviceId),
    leaseStatus: (agentId) => control.leaseStatus(agentId),
    strategyOf: (revisionDigest) => control.strategyOf(revisionDigest),
    liveOf: (runId) => control.liveOf(runId),
  };
}

/** Up to where the journal is contained in an answer. */
export function sequenceOf(source: ViewSource): number {
  return source.connection.journal.head.seq;
}

/** The name of a device, as it was paired. */
export function deviceNameOf(source: Pick<ViewSource, 'device' | 'peerName'>, deviceId: string | null): string {
  if (deviceId === null || deviceId === source.device.deviceId) return source.device.name;
  return source.peerName(deviceId) ?? 'Another device';
}
