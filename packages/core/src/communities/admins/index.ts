import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { adminOperations } from './operations.ts';

export const adminsModule = defineModule('admins', { resources: [ownOperations(adminOperations)] });
