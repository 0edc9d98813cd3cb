export { accessControlFeature } from './feature.ts';
