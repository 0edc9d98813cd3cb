export { nearIndexerFeature } from './feature.ts';
export { followNear } from './follow.ts';
export { type IndexContext, indexStep } from './step.ts';
