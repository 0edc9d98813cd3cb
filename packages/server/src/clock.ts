import type { Clock } from '@latchkey/kernel';

/** The system's clock. Nothing else reads it directly. */
export const systemClock: Clock = () => new Date();
