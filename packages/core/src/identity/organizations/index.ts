import { forgetTreasury, signerUserOf } from '../../services/treasuries/index.ts';
import { defineModule, type Erasure, type SealedColumn } from '../../shared/module.ts';
import { ownOperations } from '../../shared/own-operations.ts';
import { devOrgJobs } from './jobs.ts';
import { devOrgOwnOperations, devOrgs } from './operations.ts';
import { otpPlace } from './otp.ts';

export { ensureConfirmedOrganization } from './create.ts';
export {
  createOrganizationWallet,
  findOrganizationName,
  ownerOfOrganization,
  ownOrganization,
  planOfOrganization,
} from './operations.ts';
export { requireVerified } from './organization.ts';
export { type OrganizationRow, planIdInOrganization, selectMailboxesOf } from './queries.ts';
export { setPlan } from './set-plan.ts';

/** Deletes a user's organizations with their wallets, once their applications are deleted. */
const devOrgsErasure: Erasure = {
  columns: [
    'organizations.created_by_id',
    'organizations.email',
    'organization_otps.created_by_id',
    'organization_wallets.created_by_id',
    'organization_wallets.owner_address',
    'organization_wallets.safe_address',
  ],
  stage: 'at-once',
  forget: async (_ctx, tx, { userId }) => {
    const organizations = await tx
      .selectFrom('organizations')
      .select('id')
      .where('created_by_id', '=', userId)
      .execute();
    for (const { id } of organizations) {
      const holder = { kind: 'organization', id } as const;
      await forgetTreasury(tx, holder, signerUserOf(holder));
    }
    await tx.deleteFrom('organizations').where('created_by_id', '=', userId).execute();
  },
};

/** The sealed columns of this feature, for a change of the master key. */
const devOrgsSealed: readonly SealedColumn[] = [
  { table: 'organization_otps', column: 'code', idColumns: ['id'], placeOf: (id = '') => otpPlace(id) },
];

export const devOrgsModule = defineModule('organizations', {
  resources: [devOrgs, ownOperations(devOrgOwnOperations)],
  jobs: devOrgJobs,
  sealed: devOrgsSealed,
  erasures: [devOrgsErasure],
  tables: ['organizations', 'organization_otps', 'organization_wallets'],
});
