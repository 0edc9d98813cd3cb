import { type Hashed, hashSecret, type Tx } from '@latchkey/db';
import { AppError, principalId } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import type { ProofVerdict } from '../../ports/index.ts';
import { findOwnChallenge, type LinkChallengeRow, useLinkChallenge } from './challenge-queries.ts';
import { ownerNamespace } from './wallet-chains.ts';

/** A claim that a wallet is the caller's. */
export interface WalletClaim {
  /** Whose signatures these are: `evm`, `solana`, `magic` … */
  namespace: string;
  chain: string;
  /** In the one spelling of its chain. */
  address: string;
  /** The address as it was written, if that is another spelling. */
  shownAddress?: string | undefined;
  /** Who signed, when that is another account: an owner of the contract at the address. */
  signer?: string | undefined;
  /** The message that was signed, to the letter; without it and the state the newest one that fits is meant. */
  message?: string | undefined;
  state?: string | undefined;
  signature: unknown;
  publicKey?: string | undefined;
  /** What the chain needs beyond the signature; some of it is made of the message. */
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

/** A challenge whose proof was judged. It is used up in the transaction of what the proof brings about. */
export interface JudgedChallenge {
  /** False when another request with the same message was first: then nothing may come of this one. */
  useUp(tx: Tx): Promise<boolean>;
}

export type Proof =
  | { kind: 'proven'; wallet: ProvenWallet; challenge: JudgedChallenge }
  /** There is no such message, or it was used or has expired, or is somebody else's. */
  | { kind: 'no-challenge' }
  | { kind: 'refused'; reason: string };

/**
 * Judges a claim. One that is refused uses its message up here; one that is proven does so with what the caller makes of
 * it. Without a verdict the message stays usable: UNAVAILABLE is thrown when the proof could not be looked at, and
 * VALIDATION_FAILED for a proof that cannot be judged here at any time.
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
    return refuse(ctx, messageHash, 'The message was written for another wallet or another chain.');
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
  return verdict === undefined ? refuse(ctx, messageHash, 'This chain is not known here.') : conclude(verdict);

  function conclude(judged: ProofVerdict): Proof | Promise<Proof> {
    if (judged.kind === 'unknown') throw judged.isLasting ? undecidable(judged.reason) : unavailable();
    if (judged.kind === 'invalid') return refuse(ctx, messageHash, judged.reason);
    return {
      kind: 'proven',
      challenge: { useUp: (tx) => useLinkChallenge(tx, messageHash) },
      wallet: {
        namespace: ownerNamespace(namespace),
        address: signer === undefined ? judged.address : address,
        contractChain: judged.contractChain ?? null,
        chain,
        shownAddress: claim.shownAddress ?? challenge?.shown_address ?? null,
        communityId: challenge?.community_id ?? null,
        walletType: challenge?.wallet_type ?? null,
      },
    };
  }
}

/** A failed try does not leave the challenge usable. Of several at once one is told why, and the others that it is used. */
async function refuse(ctx: Pick<Context, 'tx'>, messageHash: Hashed, reason: string): Promise<Proof> {
  const isFirst = await ctx.tx((tx) => useLinkChallenge(tx, messageHash));
  return isFirst ? { kind: 'refused', reason } : { kind: 'no-challenge' };
}

function refOf({ message, state, namespace, chain, address, signer }: WalletClaim) {
  if (message !== undefined) return { messageHash: hashSecret(message) };
  if (state !== undefined) return { stateHash: hashSecret(state) };
  return { newestFor: { namespace, chain, address, signer: signer ?? null } };
}

/** An open message serves any wallet that signs for itself; any other message serves the account it names. */
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
  return new AppError('VALIDATION_FAILED', `The body at /signature cannot be judged by this server. ${reason}`, {
    details: [{ path: '/signature', code: 'wallet', message: reason }],
  });
}

/** A chain that cannot be asked decides nothing, and nothing is stored. */
export function unavailable(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'The signature cannot be verified at the moment, so nothing was decided. Send the same signature again shortly.',
    { retryAfterSeconds: 5 },
  );
}
