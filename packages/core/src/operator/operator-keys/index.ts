export { operatorKeysFeature } from './feature.ts';
