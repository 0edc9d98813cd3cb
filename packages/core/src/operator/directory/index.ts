export { directoryFeature } from './feature.ts';
