import type { Page } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { type PageRequest, paginate } from '../../paging.ts';
import { describeTreasury, listActions } from '../treasuries/index.ts';
import { isTheirs } from './access.ts';
import { getTreasury } from './own-treasury.ts';
import { type Treasury, type TreasuryAction, toAction, toTreasury } from './records.ts';

type ReadContext = Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random' | 'safes'>;
type Named = { address: string };

export async function getTreasuryByAddress(ctx: ReadContext, { address }: Named): Promise<Treasury> {
  const treasury = await getTreasury(ctx, address);
  return toTreasury(treasury, await describeTreasury(ctx, treasury), await isTheirs(ctx, treasury));
}

export async function listTreasuryActions(
  ctx: ReadContext,
  { address, ...request }: Named & PageRequest,
): Promise<Page<TreasuryAction>> {
  const { safe_address } = await getTreasury(ctx, address);
  const page = await paginate(ctx, request, {
    list: `treasury-actions/${safe_address}`,
    read: (after, limit) => listActions(ctx.db.system, safe_address, ctx.clock(), after, limit),
    cursorOf: ({ created_at, id }) => [created_at.toISOString(), id],
  });
  return { ...page, items: page.items.map(toAction) };
}
