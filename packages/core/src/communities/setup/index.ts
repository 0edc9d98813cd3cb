export { setupFeature } from './feature.ts';
