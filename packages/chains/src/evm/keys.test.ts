import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { serializeTransaction, type TypedDataDefinition, verifyMessage, verifyTypedData } from 'viem';
import { privateKeyToAccount, publicKeyToAddress } from 'viem/accounts';
import { evmKeys } from './keys.ts';

let drawn = 0;
const random = {
  bytes: (length: number) => createHash('sha512').update(`keys:${drawn++}`).digest().subarray(0, length),
  id: () => '',
};

describe('keys of Ethereum accounts', () => {
  const { privateKey, address, publicKey } = evmKeys.createKey(random);
  const account = privateKeyToAccount(`0x${Buffer.from(privateKey).toString('hex')}`);

  test('a new key is that of its address and its public key', () => {
    assert.equal(address, account.address);
    assert.equal(publicKey, account.publicKey);
    assert.equal(publicKeyToAddress(publicKey as `0x${string}`), address);
    assert.notEqual(evmKeys.createKey(random).address, address);
    assert.match(evmKeys.tokenIdOf(publicKey), /^[1-9][0-9]{70,77}$/);
  });

  test('texts are signed identically to another wallet with the same key', async () => {
    for (const message of ['hello', '', 'Zürich 🔑\nline 2', `${'x'.repeat(5000)}`, '\u0000']) {
      const signature = evmKeys.sign(privateKey, evmKeys.textDigest(message));
      assert.equal(signature, await account.signMessage({ message }));
      assert.ok(await verifyMessage({ address: account.address, message, signature: signature as `0x${string}` }));
    }
  });

  const typedData: TypedDataDefinition & { message: object } = {
    domain: { name: 'Letters', version: '1', chainId: 31337, verifyingContract: account.address },
    types: {
      EIP712Domain: [
        { name: 'name', type: 'string' },
        { name: 'version', type: 'string' },
        { name: 'chainId', type: 'uint256' },
        { name: 'verifyingContract', type: 'address' },
      ],
      Letter: [
        { name: 'to', type: 'address[]' },
        { name: 'pages', type: 'uint8' },
      ],
    },
    primaryType: 'Letter',
    message: { to: [account.address], pages: 3 },
  };

  test('typed data is signed identically to another wallet with the same key', async () => {
    const digest = await evmKeys.typedDataDigest(JSON.stringify(typedData));
    assert.ok(digest);
    const signature = evmKeys.sign(privateKey, digest) as `0x${string}`;
    assert.equal(signature, await account.signTypedData(typedData));
    assert.ok(await verifyTypedData({ ...typedData, address: account.address, signature }));
  });

  test('typed data that shows more than it signs, or is ambiguous, has no digest', async () => {
    const { message, types } = typedData;
    const json = JSON.stringify(typedData);
    const wrong = [
      JSON.stringify({ ...typedData, message: { ...message, gift: 'none' } }),
      JSON.stringify({ ...typedData, note: 'hello' }),
      JSON.stringify({ ...typedData, types: { ...types, Other: [] } }),
      JSON.stringify({ ...typedData, types: { Letter: types.Letter } }),
      JSON.stringify({ ...typedData, message: { ...message, pages: 256 } }),
      JSON.stringify({ ...typedData, primaryType: 'Letters' }),
      JSON.stringify(typedData, undefined, 2),
      json.replace('"primaryType"', '"primaryType":"Other","primaryType"'),
      json.slice(1),
      'null',
    ];
    for (const text of wrong) assert.equal(await evmKeys.typedDataDigest(text), undefined, text);
  });

  test('transactions of every type are recognized, and other bytes are not', async () => {
    const fields = { chainId: 1, nonce: 1, to: account.address, value: 1n, gas: 21_000n };
    const fees = { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n };
    const unsigned = [
      { ...fields, gasPrice: 1n, type: 'legacy' },
      { ...fields, gasPrice: 1n, accessList: [], type: 'eip2930' },
      { ...fields, ...fees, type: 'eip1559' },
    ] as const;
    for (const transaction of unsigned) {
      assert.ok(await evmKeys.isTransaction(serializeTransaction(transaction)), transaction.type);
      assert.ok(await evmKeys.isTransaction(await account.signTransaction(transaction)), transaction.type);
    }
    for (const bytes of ['0x', '0x00', `0x${'ab'.repeat(40)}`, '0x68656c6c6f', '0x02']) {
      assert.equal(await evmKeys.isTransaction(bytes), false, bytes);
    }
  });

  test('signing does not modify the key, so that its holder can overwrite it', () => {
    const key = Uint8Array.from(privateKey);
    const digest = evmKeys.textDigest('x');
    const signature = evmKeys.sign(key, digest);
    assert.deepEqual(key, Uint8Array.from(privateKey));
    key.fill(0);
    assert.equal(evmKeys.sign(privateKey, digest), signature);
    assert.throws(() => evmKeys.sign(key, digest));
  });
});
