export { createSlug, createState, keepState, stateTtlSeconds } from './create.ts';
export { slugsErasure } from './forget.ts';
export { stateJobs, stateSchedules } from './jobs.ts';
export { slugs, states } from './operations.ts';
export { forgetSlugs } from './queries.ts';
export { openState } from './reads.ts';
export { ownRedirectTarget } from './redirect-target.ts';
export { slugsSealed } from './sealed-columns.ts';
export type { ShortLink } from './slug.ts';
