import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTokenLink } from './find-tokens.ts';

const contract = `0x${'Ab'.repeat(20)}`;
const address = contract.toLowerCase();

const links: readonly [string, ReturnType<typeof readTokenLink>][] = [
  [`https://opensea.io/assets/matic/${contract}/7`, { address, chainId: 137, tokenId: '7' }],
  [`https://opensea.io/item/ethereum/${contract}/12?tab=details`, { address, chainId: 1, tokenId: '12' }],
  ['https://opensea.io/collection/cool-cats', { collectionName: 'cool-cats' }],
  [`etherscan.io/token/${contract}`, { address, chainId: 1 }],
  [`https://basescan.org/nft/${contract}/3`, { address, chainId: 8453, tokenId: '3' }],
  [`https://magiceden.io/collections/polygon/${contract}`, { address, chainId: 137 }],
  [`https://blur.io/collection/${contract}`, { address }],
  [`https://rarible.com/token/${contract}:55`, { address, tokenId: '55' }],
  [`https://zora.co/collect/base:${contract}/1`, { address, chainId: 8453, tokenId: '1' }],
  ['https://collectors.poap.xyz/drop/14000', { eventId: '14000' }],
  ['https://example.org/about', {}],
  ['Cool Cats', undefined],
  ['CAT', undefined],
];

for (const [link, expected] of links)
  test(`${link.slice(0, 40)} is read as what it names`, () => assert.deepEqual(readTokenLink(link), expected));
