import type { Swarm } from './swarm.ts';

/** How large a seed is: what `shrink` can make less of beside the kinds of faults. */
export type Size = Pick<Swarm, 'devices' | 'agents' | 'activeMs'>;

/** At most so many devices and agents, and so long a time of trouble, ms; what is left out stays as the seed drew it. */
export type Limits = { readonly [Part in keyof Size]?: Size[Part] | undefined };

/** The same seed with less of everything. A relay has two devices at least, or there is nobody to share with. */
export function lessen(swarm: Swarm, limits: Limits): Swarm {
  const least = swarm.relay === null ? 1 : 2;
  const most = (drawn: number, limit: number = drawn): number => Math.min(drawn, limit);
  return {
    ...swarm,
    devices: Math.max(least, most(swarm.devices, limits.devices)),
    agents: most(swarm.agents, limits.agents),
    activeMs: most(swarm.activeMs, limits.activeMs),
  };
}
