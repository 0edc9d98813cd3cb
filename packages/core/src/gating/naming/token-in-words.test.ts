import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { chainInWords, tokenInWords } from './index.ts';

const unnamed = () => undefined;
const contract = `0x${'a1'.repeat(20)}`;

describe('describing a token', () => {
  test('is its symbol and its chain where the symbol is known', () => {
    assert.equal(
      tokenInWords(`evm:1/ERC20:${contract}`, () => 'CAT'),
      'CAT on Ethereum',
    );
  });

  test('says what it is where it has no symbol, without names of protocols', () => {
    const reply = [
      'xrpl:mainnet/FT:USD.rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B',
      'loopring:mainnet/FT:LRC',
      'bitcoin:mainnet/ORDINALS:sample-collection',
      'near:mainnet/NEP171:tokens.near',
      'solana:mainnet-beta/METAPLEX:sample',
    ].map((asset) => tokenInWords(asset, unnamed));
    assert.deepEqual(reply, [
      'of the token USD.rv…s59B on XRP Ledger',
      'of the token LRC on Loopring',
      'Ordinal of sample-collection on Bitcoin',
      'NFT of tokens.near on NEAR',
      'NFT of sample on Solana',
    ]);
  });

  test('names a chain by its common name, and an unknown one by its id', () => {
    assert.deepEqual(['evm:1', 'evm:31337', 'evm:987654321', 'ton:mainnet', 'tezos:mainnet'].map(chainInWords), [
      'Ethereum',
      'Local test chain',
      'EVM chain 987654321',
      'TON',
      'Tezos',
    ]);
  });
});
