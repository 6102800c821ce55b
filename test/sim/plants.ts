/** One bug, as a change of the product's own text. */
export interface Plant {
  /** What is wrong with it, in words. */
  readonly hazard: string;
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
}

const GRANT = 'shared/core/lease/grant.ts';
const TAIL = 'shared/core/lease/tail.ts';
const HELD = 'shared/core/lease/held-lease.ts';
const PIPELINE = 'main/host/pipeline';
const HOST = 'main/host/host.ts';
const SUCCESSORS = 'shared/core/successor/release-successors.ts';

/** The guards of the protocol and the faults that the simulator has found, each taken away. */
export const PLANTS: Readonly<Record<string, Plant>> = {
  'no-oracle': {
    hazard: 'the fence does not look at what was committed',
    changes: [
      {
        file: 'main/store/transactions/dispatch-effect.ts',
        from: 'committedOpId: committed?.op_id ?? null',
        to: 'committedOpId: null',
      },
    ],
  },
  'no-fence': {
    hazard: 'the register is not asked before an effect',
    changes: [
      {
        file: `${PIPELINE}/fence.ts`,
        from: 'if (coordinator.inside !== null) return ok(null);',
        to: `if (coordinator.inside !== null) return ok(null);
  const forged = { agentId: plan.intent.effect.agentId, holder: device.deviceId, epoch: held.epoch, nonce: held.nonce, ttlMs: held.ttlMs };
  if (held.epoch > 0) return ok({ reply: { kind: 'announced', isReplay: true }, view: { coordinator: coordinator.identity, lease: forged, epoch: held.epoch, remainingMs: 1, tail: [], frontier: {} } });`,
      },
    ],
  },
  'no-tail': {
    hazard: 'a new holder does not see what the last one announced',
    changes: [
      {
        file: TAIL,
        from: 'return tail.findLast(stands) ?? null;',
        to: 'return tail.findLast(stands) === null ? null : null;',
      },
    ],
  },
  'deadline-from-the-reply': {
    hazard: 'the deadline counts from the answer instead of the send',
    changes: [
      { file: `${PIPELINE}/lease.ts`, from: 'renewHeldLease(held, sentAt)', to: 'renewHeldLease(held, clock.read())' },
      {
        file: `${PIPELINE}/lease.ts`,
        from: '...request, holdOffFrom,',
        to: '...request, sentAt: clock.read(), holdOffFrom,',
      },
    ],
  },
  'no-deadline': {
    hazard: 'a device believes in its lease for ever',
    changes: [
      { file: HELD, from: 'return Math.floor(ttlMs / CLOCK_RATE_TOLERANCE);', to: 'return ttlMs * 1_000_000;' },
    ],
  },
  'epoch-reset-on-release': {
    hazard: 'a release gives the epoch back',
    changes: [
      {
        file: GRANT,
        from: 'record: { ...record, holder: null, nonce: null, isUnclean },',
        to: 'record: { ...record, epoch: 0, tail: [], holder: null, nonce: null, isUnclean },',
      },
    ],
  },
  'no-hold-off': {
    hazard: 'a new holder sends at once after an unclean takeover',
    changes: [
      { file: HELD, from: 'if (from === null) return 0;', to: 'if (from === null || HOLD_OFF_MS > 0) return 0;' },
    ],
  },
  'high-water-ignored': {
    hazard: 'a register that went back is believed',
    changes: [
      {
        file: 'shared/core/lease/high-water.ts',
        from: 'if (seen === null)',
        to: 'if (seen === null || answer.epoch >= 0)',
      },
    ],
  },
  'repeat-drops-the-doubt': {
    hazard: 'a repeat that is taken back unsent takes the doubt about the first attempt with it',
    changes: [{ file: TAIL, from: "status === 'withdrawn' || index >= at ||", to: 'index >= at ||' }],
  },
  'refusal-of-a-repeat-is-an-answer': {
    hazard: 'a refused repeat passes for an answer about the attempt that it repeated',
    changes: [
      {
        file: 'shared/core/settle/tail-outcome.ts',
        from: "return followed.choice !== 'send-again' && followed.choice !== 'undo-then-send';",
        to: 'return false;',
      },
    ],
  },
  'repeat-judged-once': {
    hazard: 'a repeat by key goes after the provider has forgotten the key',
    changes: [
      { file: `${PIPELINE}/pipeline.ts`, from: 'if (await askWhereTooLate(ports, plan))', to: 'if (ports === null)' },
    ],
  },
  'window-begins-here': {
    hazard: "another device's attempt is repeated within a window that begins when it is found",
    changes: [
      {
        file: 'main/store/transactions/recover-claims.ts',
        from: '{ ...intent, ...identity, dedupeUntilMs: null }',
        to: '{ ...intent, ...identity }',
      },
    ],
  },
  'asked-again-under-a-new-number': {
    hazard: 'a step that is asked about again is a new effect',
    changes: [{ file: 'main/store/projections/run-progress.ts', from: 'goBackToQuestion(db, event.payload);', to: '' }],
  },
  'stop-here-permits': {
    hazard: '*stop here* is a permit to send again',
    changes: [
      {
        file: 'main/host/pipeline/intent.ts',
        from: '|| !letsFollow(decision.choice)',
        to: '',
      },
    ],
  },
  'half-told-release': {
    hazard: 'a release counts although the journal that told of it ends before what it led to',
    changes: [{ file: 'main/store/transactions/release-step.ts', from: ' && !isThere', to: '' }],
  },
  'reclaimed-run-sleeps': {
    hazard: 'a run that waited behind an old claim is not looked at when it is reclaimed',
    changes: [
      {
        file: 'main/host/host.ts',
        from: 'if (store.connection()?.journal.head.seq !== before) this.#runs.unblock(agentId);',
        to: 'if (before === -1) this.#runs.unblock(agentId);',
      },
    ],
  },
  'behind-ignored': {
    hazard: 'the fence does not ask whether entries are missing here that the register names',
    changes: [
      {
        file: 'shared/core/fence/check-dispatch.ts',
        from: 'return findBehind(facts) ?? checkOwnSide(facts);',
        to: 'return findBehind({ ...facts, register: { ...facts.register, frontier: {} } }) ?? checkOwnSide(facts);',
      },
    ],
  },
  'last-look-left-out': {
    hazard: 'nothing is looked at between the record and the send',
    changes: [
      {
        file: 'shared/core/fence/last-look.ts',
        from: "if (facts.isSuspendSeen) return { kind: 'withhold', reason: 'suspended' };",
        to: "if (facts !== null) return { kind: 'send' };",
      },
    ],
  },
  'renewal-not-kept': {
    hazard: 'the register answers that it renewed a lease, and does not keep it',
    changes: [
      {
        file: 'main/coordinators/sqlite/sqlite-register.ts',
        from: 'this.#saveTerm.run(term.bootId, term.renewedMs, term.expiresMs, agentId);',
        to: '',
      },
    ],
  },
  'device-deadline': {
    hazard: 'the last look goes by the deadline that the device has by now, not by that of the claim',
    changes: [
      {
        file: `${PIPELINE}/fence.ts`,
        from: 'claimUntil: leases.claimUntil(held),',
        to: 'claimUntil: leases.claimUntil(leases.held(held.agentId) ?? held),',
      },
    ],
  },
  'release-with-pending-claims': {
    hazard: 'the right to act is given up while something is on its way',
    changes: [
      { file: GRANT, from: 'if (verb.pendingClaims > 0)', to: 'if (verb.pendingClaims < 0)' },
      { file: HOST, from: 'if (this.#pending(agentId) === 0) await', to: 'await' },
      { file: HOST, from: 'busy.has(agentId) || this.#pending(agentId) > 0', to: 'busy.has(agentId)' },
    ],
  },
  'renew-after-expiry': {
    hazard: 'a lease that has run out is renewed',
    changes: [{ file: GRANT, from: 'record.nonce !== verb.nonce || !isLive', to: 'record.nonce !== verb.nonce' }],
  },
  'in-flight-without-lease-granted': {
    hazard: 'a claim is granted beside an attempt in flight whose own claim is not there',
    changes: [
      {
        file: 'shared/core/claim/claim-effect.ts',
        from: "if (progress === 'in-flight') return { kind: 'in-doubt', previousOwner: null };",
        to: '',
      },
    ],
  },
  'settlement-by-anybody': {
    hazard: 'whoever reports about an attempt is believed',
    changes: [
      {
        file: 'shared/core/settle/settle-effect.ts',
        from: ' || !isSameOwner(lease.owner, completion.owner)',
        to: '',
      },
    ],
  },
  'double-successor-release': {
    hazard: 'the edges of a step go out again',
    changes: [{ file: SUCCESSORS, from: "if (gate.isReleased) return refuse('already-released');", to: '' }],
  },
  'unknown-visit-passes': {
    hazard: 'the gate lets a step pass of which it does not know where its run is',
    changes: [
      {
        file: 'shared/core/gate/evaluate-dispatch.ts',
        from: 'if (isSuperseded(gate, intent.stateVisit))',
        to: 'if (gate.currentStateVisit !== null && isSuperseded(gate, intent.stateVisit))',
      },
    ],
  },
};
