import { type Access, guarded, owns, principalId } from '@latchkey/kernel';
import { administersCommunity, requireCommunityAdmin } from '../../communities/access/index.ts';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { ownerOfOrganization } from '../../identity/organizations/index.ts';
import { findTreasury, type TreasuryRow } from '../../services/treasuries/index.ts';
import type { Context } from '../../shared/context.ts';

/** Who may see a wallet: admins of its community, the owner of its organization, and the operator. */
export const treasuryReader: Access<Context> = guarded(
  { roles: ['$user_account', '$admin'], scopes: [] },
  'address',
  'treasury',
  async (ctx: Context, address) => {
    const treasury = await findTreasury(ctx.db.system, address);
    if (treasury === undefined) return false;
    if (treasury.kind === 'community') return administersCommunity(ctx, treasury.holder_id);
    return owns(ctx.actor, await ownerOfOrganization(ctx, treasury.holder_id));
  },
);

/**
 * Who may use it: the owner of its community, whom the platform still lets rule there, or of its organization. In person:
 * neither an application nor the operator moves what is others'.
 */
export const treasuryOwner: Access<Context> = guarded(
  { roles: ['$user_account'], scopes: [] },
  'address',
  'treasury',
  async (ctx: Context, address) => {
    const treasury = await findTreasury(ctx.db.system, address);
    if (treasury === undefined || !(await isTheirs(ctx, treasury))) return false;
    if (treasury.kind === 'community') await requireCommunityAdmin(ctx, treasury.holder_id);
    return true;
  },
);

/** Whether the caller owns what the wallet belongs to. Nobody outside is asked. */
export async function isTheirs(
  ctx: Pick<Context, 'actor' | 'db'>,
  { kind, holder_id }: Pick<TreasuryRow, 'kind' | 'holder_id'>,
): Promise<boolean> {
  if (ctx.actor.kind !== 'user') return false;
  const ownerId =
    kind === 'organization'
      ? await ownerOfOrganization(ctx, holder_id)
      : (await selectCommunity(ctx.db.system, holder_id))?.owner_id;
  return ownerId === principalId(ctx.actor);
}
