import { hashSecret } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Context } from '../context.ts';
import { issueAeToken } from '../credentials/index.ts';
import { findUserByWallet } from '../wallets/index.ts';
import { readAccountId } from './account-id.ts';
import type { WalletIdTokenRequest, WalletIdTokenResponse } from './challenge.ts';
import { type ChallengeRow, takeChallenge } from './queries.ts';

type LoginContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'random' | 'settings' | 'wallets'>;

const tokenTtlSeconds = 3600;

/** Answers a signed challenge with a token for the user the wallet belongs to. */
export async function loginBySiwe(
  ctx: LoginContext,
  { body }: { body: WalletIdTokenRequest },
): Promise<WalletIdTokenResponse> {
  // Taken before the signature is looked at: a failed try must not leave the challenge usable (EIP-4361).
  const challenge = await takeChallenge(ctx.db.system, hashSecret(body.requestId), ctx.clock());
  if (challenge === undefined) {
    throw new AppError('INVALID_CREDENTIAL', 'The challenge is unknown, used or expired. Ask for a new one.');
  }
  const signer = await verify(ctx, challenge, body);
  const user = await userOf(ctx, signer);
  return { idToken: await issueAeToken(ctx, { ...user, scopes: challenge.scopes, ttlSeconds: tokenTtlSeconds }) };
}

interface Signer {
  address: string;
  contractChain?: string;
}

/** The user a wallet is linked to, or the wallet itself. A contract is known by its chain too: elsewhere it may be another's. */
async function userOf(
  ctx: LoginContext,
  { address, contractChain }: Signer,
): Promise<{ userId: string; platform: string; name?: string }> {
  if (contractChain !== undefined)
    return { userId: `ETH#USER#${contractChain}:${address}`, platform: 'ethereum', name: address };
  return (
    (await findUserByWallet(ctx.db, address)) ?? { userId: `ETH#USER#${address}`, platform: 'ethereum', name: address }
  );
}

async function verify(ctx: LoginContext, challenge: ChallengeRow, body: WalletIdTokenRequest): Promise<Signer> {
  const claimed = body.accountId === undefined ? undefined : readAccountId(ctx.wallets.evm, body.accountId);
  const address = challenge.address ?? claimed?.address;
  if (address === undefined) {
    throw new AppError('VALIDATION_FAILED', 'The body needs accountId, since the challenge named no account.', {
      details: [{ path: '/accountId', code: 'required', message: 'must name the account that signed' }],
    });
  }
  if (claimed !== undefined && claimed.address !== address) {
    throw new AppError('INVALID_CREDENTIAL', 'The challenge was made for another account.');
  }
  const verdict = await ctx.wallets.evm.verify({
    chain: challenge.chain,
    address,
    message: challenge.message,
    signature: body.signature,
    // A message that names no account could be replayed to another contract of the same owner.
    details: { scheme: 'eip191', keyOnly: challenge.address === null },
  });
  if (verdict.kind === 'unknown') {
    throw new AppError(
      'UNAVAILABLE',
      'The chain cannot be asked about this account at the moment. Ask for a new challenge shortly.',
      {
        retryAfterSeconds: 5,
      },
    );
  }
  if (verdict.kind === 'invalid')
    throw new AppError('INVALID_CREDENTIAL', 'The signature does not fit the message and the account.');
  return verdict;
}
