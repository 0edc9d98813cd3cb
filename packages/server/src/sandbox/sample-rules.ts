import type { SampleWorld } from '@latchkey/emulators/sample-world';
import { sampleChain } from './with-emulators.ts';

/** The rules of the sample community, one for each of its roles. */
export function sampleRules({ chain, guild }: Pick<SampleWorld, 'chain' | 'guild'>) {
  const { erc20, erc721, erc1155 } = chain.contracts;
  const chainId = Number(sampleChain);
  const { holder, collector, supporter, whale, insider } = guild.roles;
  const keys = { type: 'ERC721', chainId, contractAddress: erc721 };
  const coins = { type: 'ERC20', chainId, contractAddress: erc20 };
  const badge = { type: 'ERC1155', chainId, contractAddress: erc1155, tokenId: '1', minToken: '1' };
  return [
    { name: 'One key', roleId: holder.id, ...keys, minToken: '1' },
    { name: 'Three keys', roleId: collector.id, ...keys, minToken: '3' },
    { name: '100 coins', roleId: supporter.id, ...coins, minToken: '100' },
    { name: '1,000 coins', roleId: whale.id, ...coins, minToken: '1000' },
    {
      name: 'A key, and coins or a badge',
      roleId: insider.id,
      scheme: 'logic',
      version: '2.1.0',
      variables: {
        rule: { and: [{ ...keys, minToken: '1' }, { or: [{ ...coins, minToken: '100' }, badge] }] },
      },
    },
  ];
}
