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
      summary: 'List named describers of an NFT contract',
      description: `Returns whom the operator lets describe the contract though no linked wallet of theirs is known to own it. Up to ${mostDescribers}.`,
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
        'Lets a user or a client application describe the contract and its tokens, for contracts whose owner cannot be read from their chain.',
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
        'The user or client application can no longer describe the contract, unless a linked wallet of theirs owns it. What they wrote stays until the owner replaces it.',
      audit: 'nft-describer.remove',
      access: admin(),
      params: { chainId, address, describerId },
      returns: NoContent,
      errors: ['ENTITY_NOT_FOUND'],
    },
    removeNftDescriber,
  ),
] as const;
