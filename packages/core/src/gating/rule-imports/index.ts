import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { ruleImportOperations } from './operations.ts';

export { type ImportSource, importSources } from './found-rule.ts';
export { applyRuleImport, startRuleImport } from './operations.ts';
export type { RuleImport } from './shapes.ts';

export const ruleImportsModule = defineModule('rule-imports', {
  resources: [ownOperations(ruleImportOperations)],
  tables: ['rule_imports', 'rule_import_entries'],
});
