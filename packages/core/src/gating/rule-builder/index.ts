import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { ruleAnalysisOperations } from './analyze-rules.ts';
import { abiOperations } from './contract-abi.ts';
import { ruleDeletionOperations } from './delete-rule.ts';
import { contractOperations } from './describe-contract.ts';
import { heldTokenOperations } from './held-tokens.ts';
import { ruleBuilderOperations } from './operations.ts';
import { savedDraftOperations } from './saved-drafts.ts';

export { roleNamer, rolesOf, sentencesFor } from './words.ts';

export const ruleBuilderModule = defineModule('rule-builder', {
  resources: [
    ownOperations([
      ...ruleBuilderOperations,
      ...ruleAnalysisOperations,
      ...ruleDeletionOperations,
      ...savedDraftOperations,
      ...contractOperations,
      ...abiOperations,
      ...heldTokenOperations,
    ] as const),
  ],
  tables: ['rule_drafts'],
});
