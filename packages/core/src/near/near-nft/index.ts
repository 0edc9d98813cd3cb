export { nearNftFeature } from './feature.ts';
