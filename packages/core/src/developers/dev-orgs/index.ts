export { openOrganizationKey } from './create-wallet.ts';
export { devOrgsFeature } from './feature.ts';
export { requireVerified } from './organization.ts';
export { findOrganizationName, ownerOfOrganization, ownOrganization, planOfOrganization } from './own-organization.ts';
export { type OrganizationRow, selectMailboxesOf } from './queries.ts';
export { setPlan } from './set-plan.ts';
