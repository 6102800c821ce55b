import type { Plant } from './plants.ts';

/**
 * Layers that cover for others, taken away so that one bug is seen by itself. None is a bug to be found: with one of them gone
 * the layers behind it have to hold what the trial names.
 */
export const MASKS: Readonly<Record<string, Plant>> = {
  'epochs-may-fall': {
    hazard: 'the register keeps an epoch that is lower than the last',
    changes: [
      { file: 'main/coordinators/sqlite/sqlite-register.ts', from: 'WHEN new.epoch < old.epoch OR', to: 'WHEN' },
      { file: 'main/coordinators/sqlite/sqlite-register.ts', from: 'AND epoch > new.epoch)', to: 'AND 0)' },
    ],
  },
  'late-claims': {
    hazard: 'a claim is granted whose deadline has passed',
    changes: [
      {
        file: 'shared/core/claim/claim-effect.ts',
        from: "if (!isBefore(now, leaseUntil)) return { kind: 'invalid-lease' };",
        to: '',
      },
    ],
  },
  'no-sweep': {
    hazard: 'nobody looks at what an earlier start left behind',
    changes: [
      {
        file: 'main/host/host.ts',
        from: 'if (this.#hasLeftovers(agentId) && !isBehind(this.state, agentId)) await',
        to: "if (agentId === '') await",
      },
    ],
  },
  'no-resting': {
    hazard: 'a run is driven on although an attempt of it is open',
    changes: [
      {
        file: 'main/host/step.ts',
        from: "if (run.phase === 'acting') {",
        to: "if (run.phase === 'acting' && run.run_id === '') {",
      },
    ],
  },
  'lost-claims': {
    hazard: 'the claim of an open attempt is not there',
    changes: [
      {
        file: 'main/store/transactions/dispatch-effect.ts',
        from: '(own === null ? null : claimOf(own)) : claimOf(open),',
        to: '(own === null ? null : claimOf(own)) : null,',
      },
    ],
  },
  'no-stop-at-the-gate': {
    hazard: 'the gate does not know of stops',
    changes: [
      {
        file: 'main/store/transactions/dispatch-effect.ts',
        from: 'stopRequested: run === null || run.stop_requested === 1,',
        to: 'stopRequested: run === null,',
      },
    ],
  },
  'no-stop-at-the-last-look': {
    hazard: 'the last look does not know of stops',
    changes: [
      {
        file: 'main/host/pipeline/fence.ts',
        from: 'isStopRequested: stops.isStopped(plan.intent.effect),',
        to: 'isStopRequested: false,',
      },
    ],
  },
};
