export { followNear } from './follow.ts';
export { nearIndexer } from './operations.ts';
export { type IndexContext, indexStep } from './step.ts';
