import type { Tx } from '@latchkey/db';
import { AppError } from '@latchkey/kernel';
import { findKey, insertKey, type PendingRequest } from './queries.ts';
import type { KeyMade } from './request.ts';
import { keyPlace, type SignerContext } from './signer-context.ts';

/** Makes the one key of a user, or answers with what is there already. */
export async function makeKey(ctx: SignerContext, tx: Tx, request: PendingRequest): Promise<KeyMade> {
  const known = await findKey(tx, request.user_id);
  if (known === undefined) await insertKey(tx, newKey(ctx, request));
  const key = known ?? (await findKey(tx, request.user_id));
  if (key === undefined) throw new AppError('STATE_CONFLICT', 'The wallet was removed while it was being made.');
  return { address: key.address, publicKey: key.public_key, tokenId: ctx.evmKeys.tokenIdOf(key.public_key) };
}

function newKey(ctx: SignerContext, request: PendingRequest) {
  const { user_id: userId, wallet_id: walletId } = request;
  if (walletId === null) throw new Error('A request for a key names no wallet.');
  const { privateKey, address, publicKey } = ctx.evmKeys.createKey(ctx.random);
  try {
    return {
      user_id: userId,
      wallet_id: walletId,
      address,
      public_key: publicKey,
      private_key: ctx.keyring.seal(keyPlace({ walletId, userId }), privateKey),
      created_at: ctx.clock(),
    };
  } finally {
    privateKey.fill(0);
  }
}
