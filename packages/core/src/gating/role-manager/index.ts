import { defineModule } from '../../shared/module.ts';
import { roleManager } from './operations.ts';

export const roleManagerModule = defineModule('role-manager', { resources: [roleManager] });
