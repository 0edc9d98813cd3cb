export { analyticsFeature } from './feature.ts';
