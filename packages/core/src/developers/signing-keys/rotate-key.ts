import { newKeyRow } from './ensure-signing-keys.ts';
import { deleteRetiredBefore, insertCurrent, lockForWriting, retireCurrent } from './queries.ts';
import { forgetCachedKeys } from './read-keys.ts';
import { type KeyContext, oldestPublished, type SigningPurpose } from './signing-key.ts';

/** Makes a new current key and retires the old one, which stays published so that what it signed still verifies. */
export async function rotateKey(ctx: KeyContext, purpose: SigningPurpose): Promise<{ kid: string }> {
  const row = newKeyRow(ctx, purpose);
  await ctx.db.transaction('system', async (tx) => {
    await lockForWriting(tx);
    await retireCurrent(tx, purpose, ctx.clock());
    await insertCurrent(tx, row);
  });
  forgetCachedKeys(ctx, purpose);
  return { kid: row.kid };
}

/** Deletes the keys whose time of being published after retirement is over. */
export function deleteOldKeys(ctx: Pick<KeyContext, 'clock' | 'db'>): Promise<number> {
  return deleteRetiredBefore(ctx.db.system, oldestPublished(ctx.clock()));
}
