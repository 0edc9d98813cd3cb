/** The system time. No other place in the emulators reads it. */
export const systemClock = (): Date => new Date();

/** Milliseconds since 1970: the system's, or a test's own. */
export type Clock = () => number;

export const systemMs: Clock = () => Date.now();
