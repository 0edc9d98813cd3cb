import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { joinMessageOperations } from './join-message.ts';
import { setupOperations } from './operations.ts';

export const setupModule = defineModule('setup', {
  resources: [ownOperations([...setupOperations, ...joinMessageOperations] as const)],
  tables: ['join_messages'],
});
