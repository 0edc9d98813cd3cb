export { createLocks, type LocksOptions } from './create-locks.ts';
