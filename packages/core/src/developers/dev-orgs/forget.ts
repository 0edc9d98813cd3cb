import type { Erasure } from '../../machinery/erasures/index.ts';
import { forgetTreasury, signerUserOf } from '../../money/treasuries/index.ts';

/** Deletes the organizations of a person with their wallets, once their applications are gone. */
export const devOrgsErasure: Erasure = {
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
