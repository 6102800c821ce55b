import type { Application } from './bridge/application.ts';
import type { HostControl } from './host/control.ts';
import type { Host } from './host/host.ts';
import type { HostPorts } from './host/ports.ts';
import type { Signal } from './host/signal.ts';
import type { Triggers } from './host/triggers/triggers.ts';

/** What the system says about sleeping reaches the leases, the triggers, and what a person is told after the wake. */
export function composeSleep(of: {
  readonly ports: HostPorts;
  readonly host: Host;
  readonly control: HostControl;
  readonly triggers: Triggers;
  readonly sharingChanged: Signal;
}): Pick<Application, 'suspend' | 'resume'> {
  const { ports, host, control, triggers } = of;
  return {
    suspend() {
      const { wallMs, bootMs } = ports.clock.read();
      const fromSeq = ports.store.connection()?.journal.head.seq;
      const heldAgentIds = host.state.leases.agents();
      // Without a record there is nothing that could be compared afterwards.
      if (fromSeq !== undefined) control.sleeps.begin({ fromMs: wallMs, bootMs, fromSeq, heldAgentIds });
      host.noteSuspend();
    },
    resume() {
      control.sleeps.end(ports.clock.read());
      host.noteSuspend();
      triggers.look();
      of.sharingChanged.tell();
    },
  };
}
