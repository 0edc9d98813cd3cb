/** Time as far as waiting needs it. Tests turn it by hand. */
export interface Timers {
  /** Milliseconds since some moment; they only go forward. */
  nowMs(): number;
  /** Runs `act` once after a while; the answer calls it off. */
  after(delayMs: number, act: () => void): () => void;
}

export const systemTimers: Timers = {
  nowMs: () => performance.now(),
  after: (delayMs, act) => {
    const timer = setTimeout(act, delayMs);
    return () => clearTimeout(timer);
  },
};
