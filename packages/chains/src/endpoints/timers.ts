/** The clock and timers that waiting needs. Tests advance them manually. */
export interface Timers {
  /** Milliseconds since an arbitrary moment, monotonic. */
  nowMs(): number;
  /** Runs `act` once after a delay. Returns a function that cancels it. */
  after(delayMs: number, act: () => void): () => void;
}

export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  after: (delayMs, act) => {
    const timer = setTimeout(act, delayMs);
    return () => clearTimeout(timer);
  },
};
