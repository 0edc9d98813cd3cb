import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { setupOperations } from './operations.ts';

export const setupModule = defineModule('setup', { resources: [ownOperations(setupOperations)] });
