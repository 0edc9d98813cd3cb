import type { Timers } from './timers.ts';

export interface CircuitOptions {
  /** So many of the last outcomes count. */
  windowSize?: number;
  /** With fewer outcomes than this nothing is concluded. */
  leastOutcomes?: number;
  /** The share of failures from which on the endpoint is left alone. */
  openAtErrorRate?: number;
  /** How long it is left alone the first time; each failed try after that doubles it. */
  firstPauseMs?: number;
  longestPauseMs?: number;
}

/**
 * Whether an endpoint may be asked. Closed: yes. Open: no, for a while. Half open: one question goes out, and its outcome
 * closes or opens it again.
 */
export interface Circuit {
  state(): 'closed' | 'open' | 'half-open';
  /** Takes a permit for one request, if there is one. Its outcome must be reported. */
  take(): boolean;
  succeeded(): void;
  failed(): void;
  /** The question was given up before anything was learnt. */
  abandoned(): void;
  /** Leaves the endpoint alone at once, whatever it did before. */
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
