import { type Enqueueable, enqueue, type Sql } from '@latchkey/db';
import { shape, T, text } from '@latchkey/kernel';

const OfCommunity = shape(T.Object({ communityId: text('The qualified id of the community.', { maxLength: 128 }) }));

/** Writes the waiting changes of a community. */
export const writeCommunity: Enqueueable<{ communityId: string }> = { name: 'gating.write', payload: OfCommunity };

/** Looks after a while whether anything of a community is due again. */
export const wakeCommunity: Enqueueable<{ communityId: string }> = { name: 'gating.wake', payload: OfCommunity };

/** Goes on with a take-over from shadow mode. */
export const takeOverCommunity: Enqueueable<{ communityId: string }> = {
  name: 'gating.take-over',
  payload: OfCommunity,
};

export async function wakeTakeOver(tx: Sql, communityId: string): Promise<void> {
  await enqueue(tx, takeOverCommunity, { communityId }, { uniqueKey: communityId, group: communityId });
}

/** Has the waiting changes of a community written, once this transaction is through. */
export async function wakeWriter(tx: Sql, communityId: string): Promise<void> {
  await enqueue(tx, writeCommunity, { communityId }, { uniqueKey: communityId, group: communityId });
}

/** Looks again later. Wakes of nearly the same time are one. */
export async function wakeLater(tx: Sql, communityId: string, delaySeconds: number): Promise<void> {
  const uniqueKey = `${communityId}/${Math.ceil(Math.log2(Math.max(1, delaySeconds)))}`;
  await enqueue(tx, wakeCommunity, { communityId }, { delaySeconds, uniqueKey });
}
