export { axieInfinityFeature } from './feature.ts';
