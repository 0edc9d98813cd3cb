export { deadJobsFeature } from './feature.ts';
