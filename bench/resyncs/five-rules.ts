import type { EvmWorld } from '@latchkey/chains/testing';
import type { GuildRule } from '@latchkey/server/testing/gated-world';
import { type Address, parseEther } from 'viem';

/** Five rules over five different assets, so that no read serves two of them. */
export function rulesFor({ chainId, contracts }: EvmWorld, roleIds: readonly string[]): GuildRule[] {
  const badge = { type: 'ERC1155', chainId, contractAddress: contracts.erc1155, minToken: '1' };
  const assets = [
    { type: 'ERC721', chainId, contractAddress: contracts.erc721, minToken: '1' },
    { type: 'ERC20', chainId, contractAddress: contracts.erc20, minToken: '100' },
    ...['1', '2', '3'].map((tokenId) => ({ ...badge, tokenId })),
  ];
  return assets.map((asset, index) => ({ name: `Rule ${index}`, roleId: roleIds[index] ?? '', ...asset }));
}

const deserving: readonly ((member: number) => boolean)[] = [2, 3, 4, 5, 6].map(
  (every) => (member) => member % every === 0,
);

const receiversAtOnce = 2_000;

/** Mints what the rules require: keys to every second member, coins to every third … Returns who qualifies for which role. */
export async function mintSome(chain: EvmWorld, addresses: readonly Address[]): Promise<typeof deserving> {
  const mint = [
    (to: readonly Address[]) => chain.mintKeys(to),
    (to: readonly Address[]) => chain.mintCoins(to, parseEther('100')),
    ...[1n, 2n, 3n].map((id) => (to: readonly Address[]) => chain.mintBadges(to, id, 1n)),
  ];
  for (const [rule, give] of mint.entries()) {
    const receivers = addresses.filter((_, index) => deserving[rule]?.(index));
    for (let from = 0; from < receivers.length; from += receiversAtOnce)
      await give(receivers.slice(from, from + receiversAtOnce));
  }
  return deserving;
}
