import { resource } from '@latchkey/kernel';
import { defineModule, type Erasure } from '../../shared/module.ts';
import { ruleOperations } from './operations.ts';

export {
  createRule,
  insertNewRule,
  insertRuleIn,
  listRuleChanges,
  type RuleChangeRow,
  type RuleState,
  refuseBadReplacement,
  refuseBadRule,
  replaceRule,
  rewriteRule,
  rewriteRuleIn,
  selectRuleChangesBetween,
} from './change-rules.ts';
export {
  type RoleChoice,
  removeRule,
  removeRuleIn,
  removeRuleWithChoice,
  roleChoices,
  roleGivenBy,
} from './delete-rule.ts';
export { describeIdentical, ruleSign } from './identical-rules.ts';
export { refuseMisspelled } from './refuse-misspelled.ts';
export { findRestorable, madeAllRuleChanges, type RestorableRule, restoreRules } from './restore-rules.ts';

/** Keeps what was changed and when, but not by whom. */
const communityRulesErasure: Erasure = {
  columns: ['community_rule_changes.changed_by'],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId, pseudonym }) => {
    await tx
      .updateTable('community_rule_changes')
      .set({ changed_by: pseudonym })
      .where('changed_by', '=', userId)
      .execute();
  },
};

export const communityRulesModule = defineModule('community-rules', {
  resources: [resource('communities', 'Chat communities: their rules, admins, plans and wallets.', ruleOperations)],
  erasures: [communityRulesErasure],
  tables: ['community_rule_changes'],
});
