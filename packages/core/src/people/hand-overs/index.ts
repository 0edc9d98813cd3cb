export { handOversFeature } from './feature.ts';
export { handOverSeconds } from './hand-over.ts';
export { openHandOver } from './open-page.ts';
