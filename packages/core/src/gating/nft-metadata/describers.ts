import { AppError, notFound, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { deleteDescriber, insertDescriber, selectDescribers } from './describer-queries.ts';
import { readContractKey } from './nft-metadata.ts';

type DescriberContext = Pick<Context, 'clock' | 'db' | 'wallets'>;
type Named = { chainId: string; address: string };

export const mostDescribers = 100;

export const NftDescriber = record(
  'NftDescriber',
  'A user or client application that the operator allowed to describe an NFT contract.',
  {
    describerId: text('The id of a user or of a client application.', { maxLength: 256 }),
    namedAt: T.String({ description: 'When they were added, in ISO 8601 form.', maxLength: 64 }),
  },
);
export type NftDescriber = ValueOf<typeof NftDescriber>;

export async function listNftDescribers(ctx: DescriberContext, named: Named): Promise<NftDescriber[]> {
  const rows = await selectDescribers(ctx.db.system, readContractKey(ctx, named), mostDescribers);
  return rows.map(({ describer_id, named_at }) => ({ describerId: describer_id, namedAt: named_at.toISOString() }));
}

/** Lets a user describe a contract without proving ownership of it. */
export async function nameNftDescriber(
  ctx: DescriberContext,
  { describerId, ...named }: Named & { describerId: string },
): Promise<void> {
  const { chainId, contract } = readContractKey(ctx, named);
  await ctx.db.transaction('system', async (tx) => {
    const known = await selectDescribers(tx, { chainId, contract }, mostDescribers);
    if (known.length >= mostDescribers && !known.some(({ describer_id }) => describer_id === describerId))
      throw new AppError(
        'STATE_CONFLICT',
        `A contract can have at most ${mostDescribers} describers. Remove one first.`,
      );
    await insertDescriber(tx, { chain_id: chainId, contract, describer_id: describerId, named_at: ctx.clock() });
  });
}

export async function removeNftDescriber(
  ctx: DescriberContext,
  { describerId, ...named }: Named & { describerId: string },
): Promise<void> {
  if (!(await deleteDescriber(ctx.db.system, readContractKey(ctx, named), describerId))) throw notFound('describer');
}
