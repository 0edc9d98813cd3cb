import type { Tx } from '@latchkey/db';
import { type AuditAction, principalId, scopesOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { auditOf, recordAudit } from '../../machinery/audit/index.ts';
import { isHeldByRival, takeFromRivals } from './holders.ts';
import { insertWallet, lockWallet, setWalletCommunity } from './queries.ts';
import { setAccountName } from './service-accounts.ts';
import { replaceSigner } from './signer-queries.ts';
import type { WalletsChanged } from './wallets-changed.ts';

/** A wallet that is to be kept for the caller. Only what was proven may become one. */
export interface NewLink {
  namespace: string;
  address: string;
  contractChain: string | null;
  communityId?: string | null;
  signerAddress?: string | null;
  contract?: string | null;
  walletType?: string | null;
  metadata?: Record<string, boolean>;
  /** What the account is called, if it is no wallet. */
  accountName?: string;
  /** What the link is put on record as. */
  auditAs?: AuditAction;
}

export type LinkOutcome = 'linked' | 'known' | 'taken';

type SaveContext = Pick<Context, 'actor' | 'clock' | 'db' | 'origin' | 'random' | 'settings'>;

/**
 * Keeps a proven wallet, unless another account has it that is in a community with this one: in a community a wallet belongs
 * to one account, unless the operator allows more.
 */
export function saveLink(ctx: SaveContext, link: NewLink, changed: WalletsChanged): Promise<LinkOutcome> {
  return ctx.db.transaction('system', async (tx) => {
    await lockWallet(tx, link.namespace, link.address);
    const isExclusive = ctx.settings.allowSharedWallets !== true;
    if (isExclusive && (await isHeldByRival(tx, rowOf(ctx, link)))) return 'taken';
    return insertLink(ctx, tx, link, changed);
  });
}

/** Keeps a proven wallet and takes it from the accounts that stood in its way. Answers how many those were. */
export function moveLink(ctx: SaveContext, link: NewLink, changed: WalletsChanged): Promise<number> {
  return ctx.db.transaction('system', async (tx) => {
    await lockWallet(tx, link.namespace, link.address);
    const others = await takeFromRivals(tx, rowOf(ctx, link));
    for (const userId of others) await changed(tx, userId, [link.address]);
    await insertLink(ctx, tx, link, changed);
    return others.length;
  });
}

async function insertLink(ctx: SaveContext, tx: Tx, link: NewLink, changed: WalletsChanged): Promise<LinkOutcome> {
  const row = rowOf(ctx, link);
  const isNew = await insertWallet(tx, row);
  if (!isNew && row.community_id !== null) await setWalletCommunity(tx, row, row.community_id);
  // Also when the wallet itself agreed this time, and nobody in particular signed for it.
  if (!isNew && row.contract_chain !== null) await replaceSigner(tx, row);
  if (!isNew && row.account_name !== null) await setAccountName(tx, row);
  if (isNew) {
    await changed(tx, row.user_id);
    // By the id of the link: of a wallet that is unlinked, nothing stays.
    await recordAudit(tx, auditOf(ctx, link.auditAs ?? 'wallet.link', { target: row.id }));
  }
  return isNew ? 'linked' : 'known';
}

function rowOf({ actor, clock, random }: SaveContext, link: NewLink) {
  return {
    id: random.id(),
    user_id: principalId(actor),
    platform: actor.kind === 'user' ? actor.platform : 'collabland',
    user_name: actor.kind === 'user' ? (actor.name ?? null) : null,
    namespace: link.namespace,
    address: link.address,
    contract_chain: link.contractChain,
    community_id: link.communityId ?? null,
    signer_address: link.signerAddress ?? null,
    contract: link.contract ?? null,
    wallet_type: link.walletType ?? null,
    metadata: link.metadata ?? {},
    account_name: link.accountName ?? null,
    scopes: scopesOf(actor),
    created_at: clock(),
  };
}
