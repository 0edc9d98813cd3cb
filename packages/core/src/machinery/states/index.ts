export { createSlug, createState, keepState, stateTtlSeconds } from './create.ts';
export { statesFeature } from './feature.ts';
export { forgetSlugs } from './queries.ts';
export { findLocation, openState } from './reads.ts';
export { ownRedirectTarget } from './redirect-target.ts';
export { slugsSealed } from './sealed-columns.ts';
export type { ShortLink } from './slug.ts';
