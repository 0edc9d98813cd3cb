import { feature } from '../../shared/feature.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { myRoleOperations } from './operations.ts';

export type { MyRoleCheck, MyRoles } from './my-roles.ts';

export const myRolesFeature = feature('my-roles', { resources: [ownOperations(myRoleOperations)] });
