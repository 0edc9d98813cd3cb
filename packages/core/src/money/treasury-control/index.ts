export { treasuryControlFeature } from './feature.ts';
