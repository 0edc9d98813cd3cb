import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { alice, mallory, nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createContractMetadata, createTokenMetadata } from './describe.ts';
import { readTokenId } from './nft-metadata.ts';
import { getContractMetadata, getTokenMetadata } from './reads.ts';

const refused = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

describe('NFT metadata', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('nft-metadata');
  });
  after(() => t.close());

  let contracts = 0;
  const newContract = () => {
    contracts += 1;
    return { chainId: '31337', address: `0x${contracts.toString(16).padStart(40, 'A')}` };
  };
  const describeIt = (actor: Actor, named: { chainId: string; address: string }, body = {}) =>
    createContractMetadata(t.as(actor), { ...named, body: { name: 'Keys', ...body } });
  const client: Actor = {
    kind: 'client',
    credential: 'api-key',
    client: { id: 'app', name: 'app', allowedScopes: null, disallowedScopes: [] },
  };

  test('a contract is described in the marketplaces’ convention and read by anybody, however its address is spelled', async () => {
    const named = newContract();
    const fee = { seller_fee_basis_points: 250, fee_recipient: '0x00000000000000000000000000000000000000F1' };
    const made = await describeIt(alice, named, { ...fee, external_link: 'https://cats.example', pk: 'mine', sk: 'x' });
    const read = await getContractMetadata(t.as(nobody), { ...named, address: named.address.toLowerCase() });
    assert.deepEqual(read, made);
    const { name, seller_fee_basis_points, fee_recipient, external_link, pk, sk } = read;
    assert.deepEqual(
      { name, seller_fee_basis_points, fee_recipient, external_link, pk, sk },
      {
        name: 'Keys',
        ...fee,
        external_link: 'https://cats.example',
        pk: `NFT#31337#${named.address.toLowerCase()}`,
        sk: 'CONTRACT',
      },
    );
    await assert.rejects(getContractMetadata(t.as(nobody), { ...named, chainId: '1' }), refused('ENTITY_NOT_FOUND'));
  });

  test('a token says what it is, under its number in every spelling', async () => {
    const named = newContract();
    await describeIt(client, named);
    const properties = { metal: 'gold', teeth: { count: 5 } };
    const body = { name: 'Key 17', image: 'ipfs://x', decimals: 0, properties, tokenId: '99', contractAddress: '0x0' };
    const made = await createTokenMetadata(t.as(client), { ...named, id: '17', body });
    assert.deepEqual([made.tokenId, made.contractAddress], ['17', named.address.toLowerCase()]);
    for (const id of ['17', '0x11', '11'.padStart(64, '0')])
      assert.deepEqual((await getTokenMetadata(t.as(nobody), { ...named, id })).properties, properties);
    await assert.rejects(getTokenMetadata(t.as(nobody), { ...named, id: '18' }), refused('ENTITY_NOT_FOUND'));
    const largest = ((1n << 256n) - 1n).toString();
    await createTokenMetadata(t.as(client), { ...named, id: largest, body: {} });
    assert.equal((await getTokenMetadata(t.as(nobody), { ...named, id: `0x${'f'.repeat(64)}` })).tokenId, largest);
  });

  test('numbers of tokens are decimal as long as they can be, and refused beyond 256 bits', () => {
    assert.equal(readTokenId('10'), '10');
    assert.equal(readTokenId(`${'1'.repeat(64)}`), '1'.repeat(64));
    assert.equal(readTokenId(`0${'1'.repeat(63)}`), BigInt(`0x${'1'.repeat(63)}`).toString());
    for (const id of ['', '01', 'ff', '-1', '1.5', '0x', `1${'0'.repeat(78)}`, `0x${'f'.repeat(65)}`])
      assert.throws(() => readTokenId(id), refused('INVALID_PARAMETER_VALUE'), id);
  });

  test('saying it again replaces it and keeps its age; others and strangers’ tokens are refused', async () => {
    const named = newContract();
    const first = await describeIt(alice, named, { description: 'old' });
    t.advanceSeconds(5);
    const second = await describeIt(alice, named, { name: 'New keys' });
    assert.deepEqual([second.name, second.description, second.createdTime], ['New keys', undefined, first.createdTime]);
    for (const actor of [mallory, client]) {
      await assert.rejects(describeIt(actor, named), refused('STATE_CONFLICT'));
      const token = { ...named, id: '1', body: { name: 'Mine' } };
      await assert.rejects(createTokenMetadata(t.as(actor), token), refused('ENTITY_NOT_FOUND'));
    }
    await describeIt(operator, named, { name: 'By the operator' });
    assert.equal((await getContractMetadata(t.as(nobody), named)).name, 'By the operator');
    assert.equal((await describeIt(alice, named)).name, 'Keys', 'it stays whose it was');
    const nowhere = { ...newContract(), id: '1', body: {} };
    await assert.rejects(createTokenMetadata(t.as(alice), nowhere), refused('ENTITY_NOT_FOUND'));
  });

  test('two who describe a contract at once do not both own it', async () => {
    const named = newContract();
    const results = await Promise.allSettled([alice, mallory, client].map((actor) => describeIt(actor, named)));
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('wrong addresses and endless properties are refused, and what dies half-way leaves nothing', async () => {
    const named = newContract();
    await assert.rejects(describeIt(alice, { ...named, address: '0x12' }), refused('INVALID_PARAMETER_VALUE'));
    await describeIt(alice, named);
    const body = { properties: { words: 'x'.repeat(70_000) } };
    await assert.rejects(createTokenMetadata(t.as(alice), { ...named, id: '1', body }), refused('VALIDATION_FAILED'));
    const ctx = t.as(alice);
    const dying = {
      ...ctx,
      tx: <Result>(work: Parameters<typeof ctx.tx<Result>>[0]) =>
        ctx.tx<Result>(async (tx) => {
          await work(tx);
          throw new Error('killed');
        }),
    };
    await assert.rejects(createTokenMetadata(dying, { ...named, id: '1', body: {} }), /killed/);
    await assert.rejects(getTokenMetadata(t.as(nobody), { ...named, id: '1' }), refused('ENTITY_NOT_FOUND'));
  });
});
