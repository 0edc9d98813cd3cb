import type { Tx } from '@latchkey/db';
import { AppError, notFound } from '@latchkey/kernel';
import { digestOf } from './digest.ts';
import { assertAllowed, assertPurpose, assertWithinLimits } from './policy.ts';
import { insertSignature, isSigned, type KeyRow, lockKey, type PendingRequest } from './queries.ts';
import type { Signed } from './request.ts';
import { keyPlace, type SignerContext } from './signer-context.ts';

/** Signs what a request asks for, once, with the key of the user it names and of nobody else. */
export async function sign(ctx: SignerContext, tx: Tx, request: PendingRequest, now: Date): Promise<Signed> {
  const { id, user_id, address, purpose, text, client_id } = request;
  if (address === null || purpose === null || text === null) throw new Error('A request to sign is incomplete.');
  await assertPurpose(ctx, { purpose, text });
  const digest = await digestOf(ctx.evmKeys, purpose, text);
  const digestHex = Buffer.from(digest).toString('hex');
  assertAllowed(ctx, { ...request, purpose, text }, digestHex);
  const key = await lockKey(tx, user_id);
  if (key === undefined || key.address.toLowerCase() !== address.toLowerCase()) throw notFound('hosted wallet');
  if (await isSigned(tx, id)) throw new AppError('STATE_CONFLICT', 'This request has been signed before.');
  await assertWithinLimits(ctx, tx, { user_id, purpose }, now);
  const signature = useKey(ctx, key, digest);
  await insertSignature(tx, {
    request_id: id,
    user_id,
    address: key.address,
    purpose,
    text,
    digest: digestHex,
    client_id,
    signed_at: now,
  });
  return { signature };
}

/** The key is in memory for as long as this takes. */
function useKey(ctx: SignerContext, key: KeyRow, digest: Uint8Array): string {
  const place = keyPlace({ walletId: key.wallet_id, userId: key.user_id });
  const privateKey = ctx.keyring.open(place, key.private_key);
  try {
    return ctx.evmKeys.sign(privateKey, digest);
  } finally {
    privateKey.fill(0);
  }
}
