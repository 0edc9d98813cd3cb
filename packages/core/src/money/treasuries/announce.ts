import type { Sql } from '@latchkey/db';
import { announce } from '../../machinery/announcements/index.ts';
import type { ActionRow } from './action-queries.ts';
import type { TreasuryRow } from './queries.ts';

/** Tells pages that show a wallet that something about it has changed. */
export function announceAction(db: Sql, { kind, holder_id }: TreasuryRow, { asked_by_id }: ActionRow): Promise<void> {
  return announce(db, {
    changed: 'wallets',
    accounts: [asked_by_id],
    ...(kind === 'community' && { community: holder_id }),
  });
}
