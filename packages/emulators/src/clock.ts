/** The system's own time: the only place of the emulators that asks for it. */
export const systemClock = (): Date => new Date();

/** Milliseconds since 1970: the system's, or a test's own. */
export type Clock = () => number;

export const systemMs: Clock = () => Date.now();
