import type { Tx } from '@latchkey/db';
import { AppError, notFound } from '@latchkey/kernel';
import { assertAllowed, assertWithinLimits } from './policy.ts';
import { insertSignature, isSigned, type KeyRow, lockKey, type PendingRequest } from './queries.ts';
import { notTypedData } from './refusals.ts';
import type { Purpose, Signed } from './request.ts';
import { keyPlace, type SignerContext } from './signer-context.ts';

/** Signs what a request asks for, once, with the key of the user it names and of nobody else. */
export async function sign(ctx: SignerContext, tx: Tx, request: PendingRequest, now: Date): Promise<Signed> {
  const { id, user_id, address, purpose, text, client_id } = request;
  if (address === null || purpose === null || text === null) throw new Error('A request to sign is incomplete.');
  assertAllowed(ctx, request);
  const key = await lockKey(tx, user_id);
  if (key === undefined || key.address.toLowerCase() !== address.toLowerCase()) throw notFound('hosted wallet');
  if (await isSigned(tx, id)) throw new AppError('STATE_CONFLICT', 'This request has been signed before.');
  await assertWithinLimits(ctx, tx, user_id, now);
  const digest = digestOf(ctx, purpose, text);
  const signature = useKey(ctx, key, digest);
  await insertSignature(tx, {
    request_id: id,
    user_id,
    address: key.address,
    purpose,
    text,
    digest: Buffer.from(digest).toString('hex'),
    client_id,
    signed_at: now,
  });
  return { signature };
}

function digestOf({ evmKeys }: SignerContext, purpose: Purpose, text: string): Uint8Array {
  switch (purpose) {
    case 'message':
      return evmKeys.textDigest(text);
    case 'hash':
      return Buffer.from(text.slice(2), 'hex');
    case 'typed-data': {
      const digest = evmKeys.typedDataDigest(text);
      if (digest === undefined) throw notTypedData();
      return digest;
    }
  }
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
