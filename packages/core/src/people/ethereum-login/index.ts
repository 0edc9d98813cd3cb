export { ethereumLoginFeature } from './feature.ts';
