import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blake2b } from '@noble/hashes/blake2.js';
import { base58 } from '@scure/base';
import { loadMessages } from '../messages/index.ts';
import { accountIdOf } from './chains.ts';

await loadMessages('en');

function ss58(prefix: number, account: Uint8Array): string {
  const body = Uint8Array.of(prefix, ...account);
  const checksum = blake2b(Buffer.concat([Buffer.from('SS58PRE'), body]), { dkLen: 64 }).subarray(0, 2);
  return base58.encode(Uint8Array.of(...body, ...checksum));
}

const accounts = [0x00, 0x01, 0x7f, 0x80, 0xd4, 0xff].map((byte) => new Uint8Array(32).fill(byte));

test('a Kusama address is sent as one, whatever the account', () => {
  for (const account of accounts)
    assert.equal(accountIdOf('polkadot', ss58(2, account)), `polkadot:kusama:${ss58(2, account)}`);
});

test('a Polkadot or generic address is sent for Polkadot', () => {
  for (const address of accounts.flatMap((account) => [ss58(0, account), ss58(42, account)]))
    assert.equal(accountIdOf('polkadot', address), `polkadot:mainnet:${address}`);
});

test('what looks like a Kusama address is one only where Polkadot is chosen', () => {
  const address = ss58(2, new Uint8Array(32).fill(7));
  assert.equal(accountIdOf('solana', address), `solana:mainnet:${address}`);
  assert.equal(accountIdOf('polkadot', 'nonsense'), 'polkadot:mainnet:nonsense');
});
