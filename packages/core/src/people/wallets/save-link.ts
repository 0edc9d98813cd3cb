import type { Tx } from '@latchkey/db';
import { type AuditAction, principalId, scopesOf } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { auditOf, recordAudit } from '../../machinery/audit/index.ts';
import { connectEverywhere, connectToCommunity, disconnectFromCommunity } from './communities-of-link.ts';
import { isHeldByRival, selectRivals } from './holders.ts';
import type { JudgedChallenge } from './prove-wallet.ts';
import { deleteLink, findSameLink, insertWallet, lockWallet, setShownAs } from './queries.ts';
import { setAccountName } from './service-accounts.ts';
import { replaceSigner } from './signer-queries.ts';
import { chainShown } from './wallet-chains.ts';
import type { WalletsChanged } from './wallets-changed.ts';

/** A wallet that is to be kept for the caller. Only what was proven may become one. */
export interface NewLink {
  namespace: string;
  address: string;
  contractChain: string | null;
  /** The chain that was named. */
  chain?: string | null;
  /** The address as it was written, if that is not its stored spelling. */
  shownAddress?: string | null;
  /** The community to connect it to; without one it is connected everywhere. */
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

/** `used`: the message that proved it was used up meanwhile, so nothing was kept. */
export type LinkOutcome = 'linked' | 'known' | 'taken' | 'used';

type SaveContext = Pick<Context, 'actor' | 'clock' | 'db' | 'origin' | 'random' | 'settings'>;

/**
 * Keeps a proven wallet and uses up the message that proved it, unless it counts for another account where it is to count for this one: in a community a wallet
 * belongs to one account, unless the operator allows more.
 */
export function saveLink(
  ctx: SaveContext,
  link: NewLink,
  changed: WalletsChanged,
  challenge?: JudgedChallenge,
): Promise<LinkOutcome> {
  return ctx.db.transaction('system', async (tx) => {
    await lockWallet(tx, link.namespace, link.address);
    const isExclusive = ctx.settings.allowSharedWallets !== true;
    if (isExclusive && (await isHeldByRival(tx, holdingOf(ctx, link)))) return 'taken';
    if (challenge !== undefined && !(await challenge.useUp(tx))) return 'used';
    return putLink(ctx, tx, link, changed);
  });
}

/**
 * Keeps a proven wallet and takes it from the accounts that stood in its way: in the one community that it is for, or
 * altogether if it is for all. Answers how many those were.
 */
export function moveLink(ctx: SaveContext, link: NewLink, changed: WalletsChanged): Promise<number> {
  const { communityId } = link;
  return ctx.db.transaction('system', async (tx) => {
    await lockWallet(tx, link.namespace, link.address);
    const rivals = await selectRivals(tx, holdingOf(ctx, link));
    for (const rival of rivals) {
      if (communityId) await disconnectFromCommunity(ctx, tx, { link: rival, communityId }, changed);
      else await deleteLink(tx, rival.id);
    }
    const others = new Set(rivals.map(({ user_id }) => user_id));
    if (!communityId) for (const userId of others) await changed(tx, userId, { gone: [link.address] });
    await putLink(ctx, tx, link, changed);
    return others.size;
  });
}

async function putLink(ctx: SaveContext, tx: Tx, newLink: NewLink, changed: WalletsChanged): Promise<LinkOutcome> {
  const row = rowOf(ctx, newLink);
  const isNew = await insertWallet(tx, row);
  const link = await findSameLink(tx, row);
  // Of services a person has one account: a second one stands in its way, and is another link.
  if (link === undefined) return 'known';
  if (!isNew) await refresh(link.id);
  // By the id of the link: of a wallet that is unlinked, nothing stays.
  else await recordAudit(tx, auditOf(ctx, newLink.auditAs ?? 'wallet.link', { target: link.id }));
  if (newLink.communityId) {
    const { isNew: isNewThere } = await connectToCommunity(
      ctx,
      tx,
      { link, communityId: newLink.communityId },
      changed,
    );
    return isNew || isNewThere ? 'linked' : 'known';
  }
  if (isNew) await changed(tx, link.user_id);
  return isNew || (await connectEverywhere(ctx, tx, link, changed)) ? 'linked' : 'known';

  /** What a new proof of a linked wallet brings. */
  async function refresh(id: string): Promise<void> {
    // Also when the wallet itself agreed this time, and nobody in particular signed for it.
    if (row.contract_chain !== null) await replaceSigner(tx, row);
    if (row.account_name !== null) await setAccountName(tx, row);
    if (newLink.chain) await setShownAs(tx, { ...row, id });
  }
}

function holdingOf({ actor }: SaveContext, { namespace, address, contractChain, communityId }: NewLink) {
  return {
    namespace,
    address,
    contract_chain: contractChain,
    user_id: principalId(actor),
    community_id: communityId ?? null,
  };
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
    is_everywhere: !link.communityId,
    linked_chain: chainShown(link.namespace, link.chain ?? null),
    shown_address: link.shownAddress ?? null,
    signer_address: link.signerAddress ?? null,
    contract: link.contract ?? null,
    wallet_type: link.walletType ?? null,
    metadata: link.metadata ?? {},
    account_name: link.accountName ?? null,
    scopes: scopesOf(actor),
    created_at: clock(),
  };
}
