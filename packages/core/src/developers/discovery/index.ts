export { discoveryFeature } from './feature.ts';
