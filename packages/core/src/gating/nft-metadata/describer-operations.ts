import { admin, listOf, NoContent, op, text } from '@latchkey/kernel';
import { listNftDescribers, mostDescribers, NftDescriber, nameNftDescriber, removeNftDescriber } from './describers.ts';
import { address, chainId } from './params.ts';

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
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    removeNftDescriber,
  ),
] as const;
