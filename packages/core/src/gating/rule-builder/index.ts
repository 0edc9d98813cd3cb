export { ruleBuilderFeature } from './feature.ts';
export { sentencesFor } from './words.ts';
