import { defineModule } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { myRoleOperations } from './operations.ts';

export type { MyRoleCheck } from './operations.ts';
export { describeRoles } from './operations.ts';
export { MyRole, type MyRoles } from './shapes.ts';

export const myRolesModule = defineModule('my-roles', { resources: [ownOperations(myRoleOperations)] });
