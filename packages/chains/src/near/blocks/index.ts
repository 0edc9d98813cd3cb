export { createNearBlocks } from './create-near-blocks.ts';
