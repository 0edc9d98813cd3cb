export { deskFeature } from './feature.ts';
