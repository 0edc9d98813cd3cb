export { openTables, tenantRole, tenantUrlOf } from './admit-tenants.ts';
export { prepareTenantLogin } from './prepare-login.ts';
