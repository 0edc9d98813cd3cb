import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { ruleBuilderOperations } from './operations.ts';

export { sentencesFor } from './words.ts';

export const ruleBuilderModule = defineModule('rule-builder', { resources: [ownOperations(ruleBuilderOperations)] });
