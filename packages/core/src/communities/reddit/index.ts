export { redditErasure } from './forget.ts';
export { reddit } from './operations.ts';
export { findRefreshToken } from './reads.ts';
export { redditSealed } from './sealed-columns.ts';
