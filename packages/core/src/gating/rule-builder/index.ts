export { ruleBuilderFeature } from './feature.ts';
