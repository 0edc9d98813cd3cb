import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { ruleImportOperations } from './operations.ts';

export const ruleImportsFeature = feature('rule-imports', {
  resources: [ownOperations(ruleImportOperations)],
  tables: ['rule_imports', 'rule_import_entries'],
});
