export { openTables, tenantRole, tenantUrlOf } from './admit-tenants.ts';
export { type DatabaseAddresses, directVariable, prepareTenantLogin } from './prepare-login.ts';
