export { adminsFeature } from './feature.ts';
