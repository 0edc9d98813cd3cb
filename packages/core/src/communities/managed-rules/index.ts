import { defineModule } from '../../shared/module.ts';
import { managedRulesErasure } from './queries.ts';

export { isLockedToFile, refuseLocked, refuseOtherKey } from './lock.ts';
export { type ManagedRulesRow, putManagedRules, selectManagedRules } from './queries.ts';

export const managedRulesModule = defineModule('managed-rules', {
  erasures: [managedRulesErasure],
  tables: ['managed_rules'],
});
