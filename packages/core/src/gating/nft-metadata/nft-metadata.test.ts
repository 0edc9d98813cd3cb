import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Actor } from '@latchkey/kernel';
import { createDevelopmentApp } from '../../identity/client-apps/index.ts';
import { alice, mallory, nobody, operator, type TestPlatform, testPlatform } from '../../testing/index.ts';
import { createContractMetadata, createTokenMetadata } from './describe.ts';
import { listNftDescribers, nameNftDescriber, removeNftDescriber } from './describer-operations.ts';
import { readTokenId } from './nft-metadata.ts';
import { getContractMetadata, getTokenMetadata, requireController } from './operations.ts';
import { nftMetadataErasure } from './queries.ts';

const aliceId = 'DIS#USER#100';
const wallet = `0x${'a1'.repeat(20)}`;
const otherWallet = `0x${'b2'.repeat(20)}`;
const personCalled = (userId: string): Actor => ({
  kind: 'user',
  userId,
  platform: 'discord',
  scopes: ['$all'],
  credential: 'wallet-session',
});
const refused = (code: string) => (error: unknown) => (error as { code?: string }).code === code;

describe('NFT metadata', () => {
  let t: TestPlatform;
  before(async () => {
    t = await testPlatform('nft-metadata');
    for (const [userId, address] of [
      [aliceId, wallet],
      ['DIS#USER#666', otherWallet],
    ] as const)
      await linkEvmWallet(userId, address);
  });
  after(() => t.close());

  const linkEvmWallet = (
    user_id: string,
    address: string,
    more: { contract_chain?: string; signer_address?: string } = {},
  ) =>
    t.services.db.system
      .insertInto('wallet_connections')
      .values({
        id: `wallet-${user_id}-${address}`,
        user_id,
        platform: 'discord',
        user_name: null,
        namespace: 'evm',
        address,
        created_at: t.services.clock(),
        ...more,
      })
      .execute();

  let contracts = 0;
  /** A contract owned by alice's wallet, or by the given owner. */
  const newContract = (owner: string | undefined = wallet) => {
    contracts += 1;
    const named = { chainId: '31337', address: `0x${contracts.toString(16).padStart(40, 'A')}` };
    if (owner !== '') t.tokenMetadata.setControl('evm:31337', named.address, owner);
    return named;
  };
  type Named = ReturnType<typeof newContract>;
  const describeIt = async (actor: Actor, named: Named, body = {}) => {
    await requireController(t.as(actor), named);
    return createContractMetadata(t.as(actor), { ...named, body: { name: 'Keys', ...body } });
  };
  const describeToken = async (actor: Actor, named: Named, id: string, body = {}) => {
    await requireController(t.as(actor), named);
    return createTokenMetadata(t.as(actor), { ...named, id, body });
  };
  const client: Actor & { kind: 'client' } = {
    kind: 'client',
    credential: 'api-key',
    client: { id: 'app', name: 'app', allowedScopes: null, disallowedScopes: [] },
  };

  test('a contract is described in the marketplaces’ convention and readable by anyone, in every form of its address', async () => {
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

  test('a token’s metadata is found by its id in every notation', async () => {
    const named = newContract();
    await describeIt(alice, named);
    const properties = { metal: 'gold', teeth: { count: 5 } };
    const body = { name: 'Key 17', image: 'ipfs://x', decimals: 0, properties, tokenId: '99', contractAddress: '0x0' };
    const made = await describeToken(alice, named, '17', body);
    assert.deepEqual([made.tokenId, made.contractAddress], ['17', named.address.toLowerCase()]);
    for (const id of ['17', '0x11', '11'.padStart(64, '0')])
      assert.deepEqual((await getTokenMetadata(t.as(nobody), { ...named, id })).properties, properties);
    await assert.rejects(getTokenMetadata(t.as(nobody), { ...named, id: '18' }), refused('ENTITY_NOT_FOUND'));
    const largest = ((1n << 256n) - 1n).toString();
    await describeToken(alice, named, largest);
    assert.equal((await getTokenMetadata(t.as(nobody), { ...named, id: `0x${'f'.repeat(64)}` })).tokenId, largest);
  });

  test('token ids are decimal up to 256 bits, and refused beyond', () => {
    assert.equal(readTokenId('10'), '10');
    assert.equal(readTokenId(`${'1'.repeat(64)}`), '1'.repeat(64));
    assert.equal(readTokenId(`0${'1'.repeat(63)}`), BigInt(`0x${'1'.repeat(63)}`).toString());
    for (const id of ['', '01', 'ff', '-1', '1.5', '0x', `1${'0'.repeat(78)}`, `0x${'f'.repeat(65)}`])
      assert.throws(() => readTokenId(id), refused('INVALID_PARAMETER_VALUE'), id);
  });

  test('describing it again replaces it and keeps its creation time, and the operator can change anything', async () => {
    const named = newContract();
    const first = await describeIt(alice, named, { description: 'old' });
    t.advanceSeconds(5);
    const second = await describeIt(alice, named, { name: 'New keys' });
    assert.deepEqual([second.name, second.description, second.createdTime], ['New keys', undefined, first.createdTime]);
    await describeIt(operator, named, { name: 'By the operator' });
    assert.equal((await getContractMetadata(t.as(nobody), named)).name, 'By the operator');
    assert.equal((await describeIt(alice, named)).name, 'Keys', 'its creator stays the same');
    await assert.rejects(describeToken(alice, newContract(), '1'), refused('ENTITY_NOT_FOUND'));
  });

  test('a stranger cannot describe a contract or its tokens, and the error says who can and how', async () => {
    const named = newContract();
    await describeIt(alice, named);
    for (const actor of [mallory, client]) {
      const reported = (error: Error) => refused('ROLE_NOT_ALLOWED')(error) && error.message.includes(wallet);
      await assert.rejects(describeIt(actor, named), reported);
      await assert.rejects(describeToken(actor, named, '1', { name: 'Mine' }), reported);
      await assert.rejects(describeIt(actor, newContract('')), { code: 'ROLE_NOT_ALLOWED', message: /operator/ });
    }
    assert.equal((await getContractMetadata(t.as(nobody), named)).name, 'Keys');
  });

  test('the owner takes over an earlier description by another user, tokens included', async () => {
    const named = newContract(otherWallet);
    await describeIt(mallory, named, { name: 'Old' });
    await describeToken(mallory, named, '1', { name: 'Old 1' });
    t.tokenMetadata.setControl('evm:31337', named.address, wallet);
    assert.equal((await describeIt(alice, named)).name, 'Keys');
    assert.equal((await describeToken(alice, named, '1', { name: 'New 1' })).name, 'New 1');
    await assert.rejects(describeIt(mallory, named), refused('ROLE_NOT_ALLOWED'));
  });

  test('an API key counts as the owner of its application', async () => {
    const named = newContract();
    const { id = '' } = await createDevelopmentApp(t.as(operator), { userId: aliceId, name: 'Cats', scopes: [] });
    const own: Actor = { ...client, client: { ...client.client, id } };
    assert.equal((await describeIt(own, named)).name, 'Keys');
    await assert.rejects(describeIt(client, named), refused('ROLE_NOT_ALLOWED'));
  });

  test('a wallet that only delegates to the caller, or is on another chain, does not count', async () => {
    const [safe, vault] = [`0x${'c3'.repeat(20)}`, `0x${'d4'.repeat(20)}`];
    const other = personCalled('DIS#USER#77');
    await linkEvmWallet('DIS#USER#77', safe, { contract_chain: '1' });
    await linkEvmWallet('DIS#USER#77', vault, { signer_address: wallet });
    for (const address of [safe, vault])
      await assert.rejects(describeIt(other, newContract(address)), refused('ROLE_NOT_ALLOWED'));
  });

  test('a user named by the operator may describe any contract, until removed from the list or erased', async () => {
    const named = newContract('');
    const [asOperator, name] = [t.as(operator), { ...named, describerId: 'DIS#USER#666' }];
    await nameNftDescriber(asOperator, name);
    await nameNftDescriber(asOperator, { ...named, describerId: 'app' });
    await nameNftDescriber(asOperator, name);
    const listed = await listNftDescribers(asOperator, named);
    assert.deepEqual(listed.map(({ describerId }) => describerId).sort(), ['DIS#USER#666', 'app']);
    assert.equal((await describeIt(mallory, named)).name, 'Keys');
    assert.equal((await describeIt(client, named, { name: 'By an app' })).name, 'By an app');
    await assert.rejects(describeIt(alice, named), refused('ROLE_NOT_ALLOWED'));
    await removeNftDescriber(asOperator, name);
    await assert.rejects(removeNftDescriber(asOperator, name), refused('ENTITY_NOT_FOUND'));
    await assert.rejects(describeIt(mallory, named), refused('ROLE_NOT_ALLOWED'));
    await nameNftDescriber(asOperator, name);
    const forgotten = { userId: 'DIS#USER#666', pseudonym: 'erased-1', wallets: [], coHolders: [], clientIds: [] };
    await t.services.db.transaction('system', (tx) => nftMetadataErasure.forget(asOperator, tx, forgotten));
    await assert.rejects(describeIt(mallory, named), refused('ROLE_NOT_ALLOWED'));
  });

  test('while a chain does not respond the request is refused, and an unsupported chain explains the alternative', async () => {
    const named = newContract();
    t.tokenMetadata.setControl('evm:31337', named.address, { kind: 'unknown', reason: 'The node is silent.' });
    await assert.rejects(describeIt(alice, named), { code: 'UNAVAILABLE', message: /silent/ });
    t.tokenMetadata.unread.add('evm:5');
    await assert.rejects(describeIt(alice, { ...named, chainId: '5' }), {
      code: 'ROLE_NOT_ALLOWED',
      message: /cannot read chain 5.*operator/,
    });
  });

  test('all standard fields of contracts and tokens are kept', async () => {
    const named = newContract();
    const collection = { symbol: 'KEY', banner_image: 'ipfs://b', featured_image: 'ipfs://f', collaborators: [wallet] };
    const contract = await describeIt(alice, named, collection);
    assert.deepEqual({ ...contract, ...collection }, contract);
    const fields = {
      attributes: [
        { trait_type: 'Metal', value: 'gold' },
        { display_type: 'boost_number', trait_type: 'Teeth', value: 5, max_value: 9 },
      ],
      animation_url: 'ipfs://film',
      external_url: 'https://cats.example/17',
      image_data: '<svg/>',
      background_color: 'ffcc00',
      youtube_url: 'https://youtu.be/x',
      localization: { uri: 'ipfs://{locale}.json', default: 'en', locales: ['en'] },
    };
    await describeToken(alice, named, '17', fields);
    const token = await getTokenMetadata(t.as(nobody), { ...named, id: '17' });
    assert.deepEqual({ ...token, ...fields }, token);
  });

  test('wrong addresses and oversized properties are refused, and a failed write leaves nothing', async () => {
    const named = newContract();
    await assert.rejects(describeIt(alice, { ...named, address: '0x12' }), refused('INVALID_PARAMETER_VALUE'));
    await describeIt(alice, named);
    const body = { properties: { words: 'x'.repeat(70_000) } };
    await assert.rejects(describeToken(alice, named, '1', body), refused('VALIDATION_FAILED'));
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
