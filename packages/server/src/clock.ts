import type { Clock } from '@latchkey/kernel';

/** The system's own time: the only place that asks for it. */
export const systemClock: Clock = () => new Date();
