export { memberExportsFeature } from './feature.ts';
