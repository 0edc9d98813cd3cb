export { serverConfigFeature } from './feature.ts';
