export { personalDataFeature } from './feature.ts';
