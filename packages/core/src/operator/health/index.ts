export { checkHealth } from './check.ts';
export { healthFeature } from './feature.ts';
