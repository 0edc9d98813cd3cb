export { assetsFeature } from './feature.ts';
