import type { Sql, Tx } from '@latchkey/db';
import { notFound } from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { listCredentials } from '../webauthn/index.ts';
import {
  type CheckPkpAvailabilityResponse,
  type PkpAuthMethod,
  type PkpItem,
  signScope,
  stepUpScope,
} from './hosted-wallet.ts';
import { getPerson, getTelegramPerson } from './owner.ts';
import { findWallet, type HostedWalletRow } from './queries.ts';
import { canApprove } from './step-up.ts';

type ReadContext = Pick<Context, 'actor' | 'clock' | 'settings' | 'tx'>;

export async function getUserPkp(ctx: ReadContext): Promise<PkpItem> {
  const { userId } = getPerson(ctx.actor);
  const wallet = await ctx.tx((tx) => findWallet(tx, userId));
  if (wallet === undefined || wallet.state === 'new') throw notFound('hosted wallet; claim one first');
  return toPkp(ctx, wallet);
}

export async function checkPkpAvailability(ctx: ReadContext): Promise<CheckPkpAvailabilityResponse> {
  const { userId } = getTelegramPerson(ctx.actor, 'user:pkp:read');
  const [wallet, passkeys] = await ctx.tx(async (tx) => [await findWallet(tx, userId), await listPasskeys(tx, userId)]);
  return {
    hasPkp: wallet !== undefined && wallet.state !== 'new',
    hasPasskey: passkeys.length > 0,
    hasPasskeyAuth: passkeys.some((passkey) => canApprove(ctx, passkey)),
  };
}

/** The wallet as the API shows it. */
export async function toPkp(ctx: ReadContext, wallet: HostedWalletRow): Promise<PkpItem> {
  const passkeys = await ctx.tx((tx) => listPasskeys(tx, wallet.user_id));
  const allowsHashes = ctx.settings.hostedWallets?.allowsHashes ?? false;
  const account: PkpAuthMethod = { type: wallet.platform, id: wallet.user_id, scopes: [signScope] };
  return {
    tokenId: wallet.token_id ?? undefined,
    ethAddress: wallet.address ?? undefined,
    publicKey: wallet.public_key ?? undefined,
    permittedActions: ['personal_sign', 'eth_signTypedData_v4', ...(allowsHashes ? ['eth_sign'] : [])],
    permittedAddresses: wallet.address === null ? [] : [wallet.address],
    permittedAuthMethods: [
      account,
      ...passkeys
        .filter((passkey) => canApprove(ctx, passkey))
        .map(({ credential_id, public_key }) => ({
          type: 'webauthn',
          id: credential_id,
          publicKey: Buffer.from(public_key).toString('base64url'),
          scopes: [stepUpScope],
        })),
    ],
  };
}

async function listPasskeys(tx: Tx, userId: string) {
  const passkeys = await listCredentials(tx, userId, undefined);
  return passkeys.filter(({ suspicious_at }) => suspicious_at === null);
}

/** The address of a user's hosted wallet, for those who are told of it with the user. */
export async function findHostedAddress(db: Sql, userId: string): Promise<string | undefined> {
  return (await findWallet(db, userId))?.address ?? undefined;
}
