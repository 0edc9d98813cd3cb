export { healthFeature } from './feature.ts';
