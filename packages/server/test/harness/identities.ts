import { people } from './outside-world.ts';

/** Who has one of everything. */
export const aliceId = `DIS#USER#${people.alice.userId}`;
/** Who has the same, and is a stranger to what is alice's. */
export const malloryId = `DIS#USER#${people.mallory.userId}`;
