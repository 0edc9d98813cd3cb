export { tokenproofFeature } from './feature.ts';
