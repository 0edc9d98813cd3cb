import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { myRoleOperations } from './operations.ts';

export type { MyRoleCheck, MyRoles } from './operations.ts';

export const myRolesModule = defineModule('my-roles', { resources: [ownOperations(myRoleOperations)] });
