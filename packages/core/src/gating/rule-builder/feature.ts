import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { ruleBuilderOperations } from './operations.ts';

export const ruleBuilderFeature = feature('rule-builder', { resources: [ownOperations(ruleBuilderOperations)] });
