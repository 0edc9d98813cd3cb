import { defineModule } from '../../shared/module.ts';

export { noteManualChanges } from './note-changes.ts';
export { manualChangesSince, selectManualChanges } from './queries.ts';

export const manualChangesModule = defineModule('manual-changes', { tables: ['manual_role_changes'] });
