import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { ruleBuilderOperations } from './operations.ts';

export { sentencesFor } from './words.ts';

export const ruleBuilderFeature = feature('rule-builder', { resources: [ownOperations(ruleBuilderOperations)] });
