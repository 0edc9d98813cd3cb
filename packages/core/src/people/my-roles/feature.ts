import { feature } from '../../feature.ts';
import { ownOperations } from '../../own-operations.ts';
import { myRoleOperations } from './operations.ts';

export const myRolesFeature = feature('my-roles', { resources: [ownOperations(myRoleOperations)] });
