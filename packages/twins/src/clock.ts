/** The system's own time: the only place of the twins that asks for it. */
export const systemClock = (): Date => new Date();
