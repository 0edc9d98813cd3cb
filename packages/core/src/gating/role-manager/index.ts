export { roleManagerFeature } from './feature.ts';
