import { hashSecret } from '@latchkey/db';
import { addSeconds, principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { insertLinkChallenge, type LinkChallengeRow } from './challenge-queries.ts';
import { type LinkTarget, writeLinkMessage } from './link-message.ts';

export const linkTtlSeconds = 15 * 60;
const stateLength = 32;

type ChallengeContext = Pick<Context, 'actor' | 'clock' | 'random' | 'settings' | 'tx'>;

/** A message to sign, and the state by which the requesting page finds it again. */
export interface LinkChallenge {
  message: string;
  state: string;
}

/**
 * Creates the message whose signature links a wallet to the caller's account, and stores it for 15 minutes. A message
 * with a target is valid only for that account, chain and community.
 */
export async function startLink(
  ctx: ChallengeContext,
  target?: LinkTarget,
  { walletType, userName }: { walletType?: string | undefined; userName?: string | undefined } = {},
): Promise<LinkChallenge> {
  const { actor, settings } = ctx;
  const userId = principalId(actor);
  const issuedAt = ctx.clock();
  const expiresAt = addSeconds(issuedAt, linkTtlSeconds);
  const state = ctx.random.id(stateLength);
  const message = writeLinkMessage({
    baseUrl: settings.baseUrl,
    userId,
    userName: (actor.kind === 'user' ? actor.name : undefined) ?? userName,
    target,
    nonce: ctx.random.id(24),
    issuedAt,
    expiresAt,
  });
  const row: LinkChallengeRow = {
    message_hash: hashSecret(message),
    state_hash: hashSecret(state),
    user_id: userId,
    message,
    namespace: target?.namespace ?? null,
    chain: target?.chain ?? null,
    address: target?.address ?? null,
    signer: target?.signer ?? null,
    shown_address: target?.shownAddress ?? null,
    community_id: target?.communityId ?? null,
    wallet_type: walletType ?? null,
    created_at: issuedAt,
    expires_at: expiresAt,
  };
  await ctx.tx((tx) => insertLinkChallenge(tx, row));
  return { message, state };
}

/** Creates a message that any wallet with a key may sign, and returns its text. */
export async function createLinkChallenge(ctx: ChallengeContext): Promise<string> {
  return (await startLink(ctx)).message;
}
