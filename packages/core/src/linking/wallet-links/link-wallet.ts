import { type Hashed, hashSecret, type Tx } from '@latchkey/db';
import { AppError, type AuditAction, principalId, scopesOf } from '@latchkey/kernel';
import { isHeldByRival, selectRivals } from '../../communities/memberships/index.ts';
import {
  chainShown,
  deleteLink,
  findOwnChallenge,
  findSameLink,
  insertWallet,
  type LinkChallengeRow,
  lockWallet,
  ownerNamespace,
  replaceSigner,
  setAccountName,
  setShownAs,
  spellingShown,
  useLinkChallenge,
  type WalletsChanged,
  walletChainOf,
} from '../../identity/wallets/index.ts';
import type { ProofVerdict } from '../../ports/index.ts';
import { auditOf, recordAudit } from '../../services/audit/index.ts';
import type { Context } from '../../shared/context.ts';
import { refuse } from '../../shared/refuse.ts';
import { connectEverywhere, connectToCommunity, disconnectFromCommunity } from './communities-of-link.ts';
import { reportLink } from './report.ts';

export interface SignedLink {
  namespace: string;
  chain: string;
  address: string;
  /** The exact message of the challenge. */
  message: string;
  signature: unknown;
  publicKey?: string | undefined;
}

/**
 * Links a wallet to the caller's account, if its signature of a fresh challenge is valid. Returns the stored address.
 */
export async function linkWallet(ctx: Context, link: SignedLink, changed: WalletsChanged): Promise<string> {
  const chain = walletChainOf(link.namespace, link.chain);
  const address = spell(ctx, { ...link, chain });
  const shownAddress = spellingShown(link.namespace, link.address, address);
  const proof = await proveWallet(ctx, { ...link, chain, address, shownAddress });
  if (proof.kind === 'no-challenge') throw messageIsUsed();
  if (proof.kind === 'refused')
    throw new AppError('INVALID_CREDENTIAL', 'The signature does not match the message and the address.');
  const outcome = await saveLink(ctx, proof.wallet, changed, proof.challenge);
  if (outcome === 'used') throw messageIsUsed();
  if (outcome === 'taken') {
    await ctx.db.transaction('system', (tx) => proof.challenge.useUp(tx));
    throw new AppError(
      'STATE_CONFLICT',
      'This wallet is linked to another account in one of your communities. Remove it there first.',
    );
  }
  return proof.wallet.address;
}

function messageIsUsed(): AppError {
  return new AppError('INVALID_CREDENTIAL', 'The message is unknown, used or expired. Request a new one and sign it.');
}

function spell(ctx: Pick<Context, 'wallets'>, { namespace, chain, address }: SignedLink): string {
  const wallets = ctx.wallets[namespace];
  if (wallets === undefined)
    throw refused('/chainId', `must be a chain whose wallets can be linked: ${Object.keys(ctx.wallets).join(', ')}`);
  const spelled = wallets.normalizeAddress(address, chain);
  if (spelled === undefined) throw refused('/address', `must be an address of ${namespace}:${chain}`);
  return spelled;
}

const refused = (path: string, message: string) => refuse(path, message, 'wallet');

/** A wallet to store for the caller. Only create one from a proof. */
export interface NewLink {
  namespace: string;
  address: string;
  contractChain: string | null;
  /** The chain in the request. */
  chain?: string | null;
  /** The address as the user wrote it, if that differs from the stored notation. */
  shownAddress?: string | null;
  /** The community to connect it to. Defaults to all of them. */
  communityId?: string | null;
  signerAddress?: string | null;
  contract?: string | null;
  walletType?: string | null;
  metadata?: Record<string, boolean>;
  /** The account's name, if it is not a wallet. */
  accountName?: string;
  /** The action in the audit log. */
  auditAs?: AuditAction;
}

/** `used`: the message that proved it was consumed meanwhile, so nothing was stored. */
export type LinkOutcome = 'linked' | 'known' | 'taken' | 'used';

type SaveContext = Pick<Context, 'actor' | 'clock' | 'db' | 'origin' | 'random' | 'settings'>;

/**
 * Stores a proven wallet and consumes the message that proved it, unless it counts for another account in the same
 * community: in a community a wallet belongs to one account, unless the operator allows more.
 */
export function saveLink(
  ctx: SaveContext,
  link: NewLink,
  changed: WalletsChanged,
  challenge?: VerifiedChallenge,
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
 * Stores a proven wallet and removes it from the conflicting accounts: in the one community that it is for, or
 * completely if it is for all. Returns how many those were.
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
    if (!communityId)
      for (const userId of others) {
        await reportLink(ctx, tx, 'member.wallet-unlinked', userId);
        await changed(tx, userId, { gone: [link.address] });
      }
    await putLink(ctx, tx, link, changed);
    return others.size;
  });
}

async function putLink(ctx: SaveContext, tx: Tx, newLink: NewLink, changed: WalletsChanged): Promise<LinkOutcome> {
  const row = rowOf(ctx, newLink);
  const isNew = await insertWallet(tx, row);
  const link = await findSameLink(tx, row);
  // A user has one account per service: a second one conflicts with it, and is a separate link.
  if (link === undefined) return 'known';
  if (!isNew) await refresh(link.id);
  // Identified by the id of the link, so that nothing remains of a wallet that is unlinked.
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
  if (isNew) {
    await reportLink(ctx, tx, 'member.wallet-linked', link.user_id);
    await changed(tx, link.user_id);
  }
  return isNew || (await connectEverywhere(ctx, tx, link, changed)) ? 'linked' : 'known';

  /** Applies what a new proof of a linked wallet changes. */
  async function refresh(id: string): Promise<void> {
    // Also if the wallet itself approved this time, and no particular owner signed for it.
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

/** A claim that a wallet belongs to the caller. */
export interface WalletClaim {
  /** The kind of signature: `evm`, `solana`, `magic` … */
  namespace: string;
  chain: string;
  /** In the canonical notation of its chain. */
  address: string;
  /** The address as the user wrote it, if the notation differs. */
  shownAddress?: string | undefined;
  /** The signer, if that is another account: an owner of the contract at the address. */
  signer?: string | undefined;
  /** The exact message that was signed. Without it and the state, the newest matching one is used. */
  message?: string | undefined;
  state?: string | undefined;
  signature: unknown;
  publicKey?: string | undefined;
  /** What the chain needs besides the signature; some of it is derived from the message. */
  details?: ((message: string) => Readonly<Record<string, unknown>>) | undefined;
}

/** A wallet that was just proven to be the caller's. */
export interface ProvenWallet {
  namespace: string;
  address: string;
  contractChain: string | null;
  chain: string;
  shownAddress: string | null;
  communityId: string | null;
  walletType: string | null;
}

/** A challenge whose proof was verified. It is consumed in the transaction that uses the proof. */
export interface VerifiedChallenge {
  /** Returns false if another request with the same message was faster; then this one must have no effect. */
  useUp(tx: Tx): Promise<boolean>;
}

export type Proof =
  | { kind: 'proven'; wallet: ProvenWallet; challenge: VerifiedChallenge }
  /** The message is unknown, was used, has expired, or belongs to another user. */
  | { kind: 'no-challenge' }
  | { kind: 'refused'; reason: string };

/**
 * Verifies a claim. If it is refused, the message is consumed here; if it is proven, the caller consumes it. Without a
 * verdict the message stays valid: UNAVAILABLE is thrown if the proof could not be verified now, and VALIDATION_FAILED
 * if it can never be verified here.
 */
export async function proveWallet(
  ctx: Pick<Context, 'actor' | 'clock' | 'tx' | 'wallets'>,
  claim: WalletClaim,
  signal?: AbortSignal,
): Promise<Proof> {
  const challenge = await ctx.tx((tx) =>
    findOwnChallenge(tx, refOf(claim), { userId: principalId(ctx.actor), now: ctx.clock() }),
  );
  if (challenge === undefined) return { kind: 'no-challenge' };
  const { message_hash: messageHash } = challenge;
  if (!fits(challenge, claim))
    return refuseProof(ctx, messageHash, 'The message was issued for another wallet or another chain.');
  const { namespace, chain, signer, address, signature, publicKey } = claim;
  const verdict = await ctx.wallets[namespace]?.verify(
    {
      chain,
      address: signer ?? address,
      message: challenge.message,
      signature,
      publicKey,
      details: {
        ...claim.details?.(challenge.message),
        // A message that names no wallet could be meant for another contract of the same owner.
        keyOnly: challenge.address === null,
      },
    },
    signal,
  );
  return verdict === undefined ? refuseProof(ctx, messageHash, 'This chain is not supported.') : conclude(verdict);

  function conclude(evaluated: ProofVerdict): Proof | Promise<Proof> {
    if (evaluated.kind === 'unknown') throw evaluated.isLasting ? undecidable(evaluated.reason) : unavailable();
    if (evaluated.kind === 'invalid') return refuseProof(ctx, messageHash, evaluated.reason);
    return {
      kind: 'proven',
      challenge: { useUp: (tx) => useLinkChallenge(tx, messageHash) },
      wallet: {
        namespace: ownerNamespace(namespace),
        address: signer === undefined ? evaluated.address : address,
        contractChain: evaluated.contractChain ?? null,
        chain,
        shownAddress: claim.shownAddress ?? challenge?.shown_address ?? null,
        communityId: challenge?.community_id ?? null,
        walletType: challenge?.wallet_type ?? null,
      },
    };
  }
}

/**
 * A failed attempt consumes the challenge. Of several concurrent ones, one gets the reason and the others that it was
 * used.
 */
async function refuseProof(ctx: Pick<Context, 'tx'>, messageHash: Hashed, reason: string): Promise<Proof> {
  const isFirst = await ctx.tx((tx) => useLinkChallenge(tx, messageHash));
  return isFirst ? { kind: 'refused', reason } : { kind: 'no-challenge' };
}

function refOf({ message, state, namespace, chain, address, signer }: WalletClaim) {
  if (message !== undefined) return { messageHash: hashSecret(message) };
  if (state !== undefined) return { stateHash: hashSecret(state) };
  return { newestFor: { namespace, chain, address, signer: signer ?? null } };
}

/**
 * A message without an account is valid for any wallet that signs for itself; any other message only for its account.
 */
function fits(challenge: LinkChallengeRow, { namespace, chain, address, signer }: WalletClaim): boolean {
  if (challenge.address === null) return signer === undefined;
  return (
    challenge.namespace === namespace &&
    challenge.chain === chain &&
    challenge.address === address &&
    challenge.signer === (signer ?? null)
  );
}

function undecidable(reason: string): AppError {
  return new AppError('VALIDATION_FAILED', `The body at /signature cannot be verified by this server. ${reason}`, {
    details: [{ path: '/signature', code: 'wallet', message: reason }],
  });
}

/** If a chain is unavailable, nothing is decided or stored. */
export function unavailable(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'The signature cannot be verified right now. Nothing was changed; send the same signature again shortly.',
    { retryAfterSeconds: 5 },
  );
}
