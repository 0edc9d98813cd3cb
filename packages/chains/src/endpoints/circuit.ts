import type { Timers } from './timers.ts';

export interface CircuitOptions {
  /** How many of the latest outcomes count. */
  windowSize?: number;
  /** The circuit stays closed with fewer outcomes than this. */
  leastOutcomes?: number;
  /** The failure rate at which the circuit opens. */
  openAtErrorRate?: number;
  /** How long the circuit first stays open. Each failed trial doubles it. */
  firstPauseMs?: number;
  longestPauseMs?: number;
}

/**
 * Whether an endpoint may be used. Closed: yes. Open: not until the pause ends. Half open: one request is let through, and its outcome
 * closes the circuit or opens it again.
 */
export interface Circuit {
  state(): 'closed' | 'open' | 'half-open';
  /** Takes a permit for one request, if available. The outcome must be reported. */
  take(): boolean;
  succeeded(): void;
  failed(): void;
  /** Reports a request that was aborted before it had an outcome. */
  abandoned(): void;
  /** Opens the circuit at once, whatever the earlier outcomes. */
  trip(): void;
  errorRate(): number;
}

export function createCircuit(timers: Timers, options: CircuitOptions = {}): Circuit {
  const { windowSize = 20, leastOutcomes = 5, openAtErrorRate = 0.5 } = options;
  const { firstPauseMs = 2_000, longestPauseMs = 60_000 } = options;
  let outcomes: boolean[] = [];
  let openUntilMs: number | undefined;
  let pauseMs = firstPauseMs;
  let isProbing = false;

  const state: Circuit['state'] = () => {
    if (openUntilMs === undefined) return 'closed';
    return timers.nowMs() < openUntilMs ? 'open' : 'half-open';
  };
  const errorRate = () => outcomes.filter((isGood) => !isGood).length / Math.max(1, outcomes.length);
  const open = () => {
    openUntilMs = timers.nowMs() + pauseMs;
    pauseMs = Math.min(longestPauseMs, pauseMs * 2);
    isProbing = false;
  };
  const record = (isGood: boolean) => {
    outcomes = [...outcomes, isGood].slice(-windowSize);
  };

  return {
    state,
    errorRate,
    take: () => {
      const now = state();
      if (now === 'open' || (now === 'half-open' && isProbing)) return false;
      isProbing = now === 'half-open';
      return true;
    },
    succeeded: () => {
      record(true);
      if (state() !== 'half-open') return;
      outcomes = [true];
      openUntilMs = undefined;
      pauseMs = firstPauseMs;
      isProbing = false;
    },
    failed: () => {
      record(false);
      const now = state();
      if (now === 'half-open') open();
      else if (now === 'closed' && outcomes.length >= leastOutcomes && errorRate() >= openAtErrorRate) open();
    },
    abandoned: () => {
      isProbing = false;
    },
    trip: () => {
      record(false);
      if (state() !== 'open') open();
    },
  };
}
