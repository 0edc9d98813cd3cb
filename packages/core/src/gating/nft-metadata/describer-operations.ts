import { AppError, admin, listOf, NoContent, notFound, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { readContractKey } from './nft-metadata.ts';
import { address, chainId } from './params.ts';
import { deleteDescriber, insertDescriber, selectDescribers } from './queries.ts';

type DescriberContext = Pick<Context, 'clock' | 'db' | 'wallets'>;
type Named = { chainId: string; address: string };

const mostDescribers = 100;

const NftDescriber = record(
  'NftDescriber',
  'A user or client application that the operator allowed to describe an NFT contract.',
  {
    describerId: text('The id of a user or of a client application.', { maxLength: 256 }),
    namedAt: T.String({ description: 'When they were added, in ISO 8601 form.', maxLength: 64 }),
  },
);
type NftDescriber = ValueOf<typeof NftDescriber>;

export async function listNftDescribers(ctx: DescriberContext, named: Named): Promise<NftDescriber[]> {
  const rows = await selectDescribers(ctx.db.system, readContractKey(ctx, named), mostDescribers);
  return rows.map(({ describer_id, named_at }) => ({ describerId: describer_id, namedAt: named_at.toISOString() }));
}

/** Allows a user to describe a contract without proving ownership of it. */
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

const describerId = text('The id of a user, such as DIS#USER#5, or of a client application.', {
  minLength: 1,
  maxLength: 256,
});
export const describerOperations = [
  op(
    'GET /latchkey/nft-contracts/{chainId}/{address}/describers',
    {
      id: 'listNftDescribers',
      summary: 'List an NFT contract’s describers',
      description: `Returns the users and client applications that the operator allowed to describe the contract without owning it. Returns up to ${mostDescribers}.`,
      access: admin(),
      params: { chainId, address },
      returns: listOf(NftDescriber),
    },
    listNftDescribers,
  ),
  op(
    'PUT /latchkey/nft-contracts/{chainId}/{address}/describers/{describerId}',
    {
      id: 'nameNftDescriber',
      summary: 'Allow someone to describe an NFT contract',
      description:
        'Allows a user or client application to describe the contract and its tokens, for contracts whose owner cannot be read from the chain.',
      audit: 'nft-describer.name',
      access: admin(),
      params: { chainId, address, describerId },
      readAt: '/latchkey/nft-contracts/{chainId}/{address}/describers',
      returns: NoContent,
      errors: ['STATE_CONFLICT'],
    },
    nameNftDescriber,
  ),
  op(
    'DELETE /latchkey/nft-contracts/{chainId}/{address}/describers/{describerId}',
    {
      id: 'removeNftDescriber',
      summary: 'Remove a describer of an NFT contract',
      description:
        'The user or client application can no longer describe the contract, unless a linked wallet of theirs owns it. Existing metadata stays until the owner replaces it.',
      audit: 'nft-describer.remove',
      access: admin(),
      params: { chainId, address, describerId },
      readAt: '/latchkey/nft-contracts/{chainId}/{address}/describers',
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    removeNftDescriber,
  ),
] as const;
