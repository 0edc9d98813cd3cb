import { people } from './outside-world.ts';

/** The user who has one of everything. */
export const aliceId = `DIS#USER#${people.alice.userId}`;
/** Another user with the same objects, who has no access to alice's. */
export const malloryId = `DIS#USER#${people.mallory.userId}`;
