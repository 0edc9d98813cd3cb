export { myRolesFeature } from './feature.ts';
export type { MyRoleCheck, MyRoles } from './my-roles.ts';
