import { hashSecret } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { issueAeToken } from '../../developers/credentials/index.ts';
import { lookAtRoles } from '../../gating/role-plans/index.ts';
import { verdictOf } from '../../port-guards/index.ts';
import { accountsOfWallet, isLinkedTo, ownAccountOf, type SignInAccount, saveLink } from '../wallets/index.ts';
import { readAccountId } from './account-id.ts';
import type { WalletIdTokenRequest, WalletIdTokenResponse } from './challenge.ts';
import { accountResource } from './chosen-account.ts';
import { type ChallengeRow, findChallenge, useChallenge } from './queries.ts';

type LoginContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'origin' | 'random' | 'settings' | 'wallets'>;

const tokenTtlSeconds = 3600;

/** A wallet that has just proven itself, and the account that it signs in to. */
export interface ProvenSignIn {
  account: SignInAccount;
  signer: Signer & { chain: string };
  /** The application whose page asked; null for a page of this server. */
  clientId: string | null;
  at: Date;
}

/** Answers a signed challenge with a token for the account that the wallet signs in to. */
export async function loginBySiwe(
  ctx: LoginContext,
  { body }: { body: WalletIdTokenRequest },
): Promise<WalletIdTokenResponse> {
  return issueSession(ctx, await proveSignIn(ctx, body));
}

/**
 * Judges a signed challenge and uses it up with the verdict: a failed try does not leave it usable (EIP-4361), and of two
 * tries at once one gets it. Without a verdict, when the chain cannot be asked, it stays.
 */
export async function proveSignIn(ctx: LoginContext, body: WalletIdTokenRequest): Promise<ProvenSignIn> {
  const challenge = await findChallenge(ctx.db.system, hashSecret(body.requestId), ctx.clock());
  if (challenge === undefined) throw isOver();
  const judged = await verdictOf(async () => {
    const signedBy = await verify(ctx, challenge, body);
    return { signer: signedBy, account: await accountOf(ctx, signedBy, challenge.account_id) };
  });
  if (!(await useChallenge(ctx.db.system, challenge.request_hash))) throw isOver();
  if (judged instanceof AppError) throw judged;
  const { signer, account } = judged;
  const { address, contractChain } = signer;
  return {
    account,
    signer: { address, ...(contractChain !== undefined && { contractChain }), chain: challenge.chain },
    clientId: challenge.client_id,
    at: ctx.clock(),
  };
}

function isOver(): AppError {
  return new AppError('INVALID_CREDENTIAL', 'The challenge is unknown, used or expired. Ask for a new one.');
}

/** Gives out the session of a wallet that was proven. */
export async function issueSession(
  ctx: LoginContext,
  { account, signer, clientId, at }: ProvenSignIn,
): Promise<WalletIdTokenResponse> {
  if (account.userId === ownAccountOf(signer)) await keepOwnWallet(ctx, account, signer);
  return { idToken: await issueAeToken(ctx, { ...account, ...reach(), ttlSeconds: tokenTtlSeconds }) };

  /** An application learns who the person is and gets no scope: those are given on the consent page. */
  function reach() {
    return clientId === null
      ? ({ scopes: account.scopes, credential: 'wallet-session', presence: { how: 'wallet', at } } as const)
      : ({ scopes: [], credential: 'identity-token', clientId } as const);
  }
}

interface Signer {
  address: string;
  contractChain?: string;
}

/**
 * The account a wallet signs in to: one whose owner switched that on, or else the wallet's own. A link alone proves what
 * its owner holds and lets nobody in. A contract is known by its chain too: elsewhere it may be another's.
 */
async function accountOf(
  ctx: LoginContext,
  { address, contractChain }: Signer,
  chosen: string | null,
): Promise<SignInAccount> {
  const own = {
    userId: ownAccountOf({ address, contractChain }),
    platform: 'ethereum',
    name: address,
    scopes: ['$all'],
  };
  if (contractChain !== undefined) return own;
  const accounts = await accountsOfWallet(ctx.db, address);
  if (chosen === null) {
    const [account = own, other] = accounts;
    if (other === undefined) return account;
    throw severalAccounts([...accounts, own]);
  }
  const account = [...accounts, own].find(({ userId }) => userId === chosen);
  if (account === undefined)
    throw new AppError('INVALID_CREDENTIAL', 'This wallet does not sign in to the account that the message chooses.');
  return account;
}

/** The wallet has just proven itself, and an account that is its own has it. Linking it elsewhere takes nothing from it. */
async function keepOwnWallet(
  ctx: LoginContext,
  account: SignInAccount,
  { address, contractChain = null, chain }: { address: string; contractChain?: string | null; chain: string },
): Promise<void> {
  if (await isLinkedTo(ctx.db.system, account.userId, address)) return;
  const actor = { kind: 'user', ...account, credential: 'wallet-session' } as const;
  await saveLink({ ...ctx, actor }, { namespace: 'evm', address, contractChain, chain }, lookAtRoles);
}

// Told only to who has just proved to hold the wallet.
function severalAccounts(accounts: readonly SignInAccount[]): AppError {
  const message = 'This wallet signs in to several accounts. Ask for a new challenge with the resource of one of them.';
  return new AppError('STATE_CONFLICT', message, {
    details: accounts.map(({ userId, platform, name }) => ({
      path: '/resources',
      code: 'account',
      message: `${platform}: ${name ?? userId}`,
      info: { userId, platform, ...(name !== undefined && { name }), resource: accountResource(userId) },
    })),
  });
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
      'The signature cannot be verified at the moment, so nothing was decided. Send the same signature again shortly.',
      {
        retryAfterSeconds: 5,
      },
    );
  }
  if (verdict.kind === 'invalid')
    throw new AppError('INVALID_CREDENTIAL', 'The signature does not fit the message and the account.');
  return verdict;
}
