export { nearIndexerFeature } from './feature.ts';
export { followNear } from './follow.ts';
export { forgetNearIndex } from './forget-index.ts';
export { findMints, type NearMint } from './mints.ts';
export { selectTokenContracts as contractsHeldIn } from './queries.ts';
export { type IndexContext, indexStep } from './step.ts';
