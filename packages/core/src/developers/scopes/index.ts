export { scopesFeature } from './feature.ts';
