export { waitingFeature } from './feature.ts';
