import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createNearBlocks } from '@latchkey/chains/near/blocks';
import { nearCall } from '@latchkey/emulators/near-chain';
import { actions } from 'near-api-js';
import { contextFor } from '../../shared/context.ts';
import { alice, operator } from '../../testing/index.ts';
import { indexStep } from '../near-indexer/index.ts';
import { addFtTokenIds, addTokenTypes, makerOf, mintToken, unlockTokenTypes } from './change-contract.ts';
import { createMarketContract, createTokenContract, maxContractsPerMaker } from './create-contract.ts';
import { getSale } from './market-operations.ts';
import { nearToEth, transferToken } from './operations.ts';
import { art, bob, refusal, type TokenWorld, tokenWorld } from './testing/world.ts';
import { oneNear, serverAccount } from './testing.ts';
import { getCreatedTokenContracts, getTokenById, getTokenContract, getTokens } from './token-reads.ts';
import { getOwnedTokens, getOwnedTokensByContract, getTokensByCollectionId } from './tokens-as-contracts.ts';

describe('tokens on NEAR', () => {
  let n: TokenWorld;
  before(async () => {
    n = await tokenWorld('near-tokens');
  });
  after(() => n.close());

  it('creates a token contract on the chain, once per request, and reads it back', async () => {
    const own = `own.${serverAccount}`;
    const body = {
      name: 'Own',
      contractId: 'own',
      metadataUrl: 'https://example.org/own.json',
      tokenOptions: [{ type: 'print', cap: '100' }],
      properties: { classification: 'spring' },
      owner: 'artist.near',
    };
    const made = await createTokenContract(n.as(alice), { body });
    assert.deepEqual([made.tokenAddress, made.name, made.owner, made.type], [own, 'Own', 'artist.near', 'NEP171']);
    assert.equal(made.tenant, 'DIS#USER#100');
    assert.equal((await createTokenContract(n.as(alice), { body })).transactionHash, made.transactionHash);
    await assert.rejects(
      createTokenContract(n.as(alice), { body: { ...body, name: 'Other' } }),
      refusal('STATE_CONFLICT', /different details/),
    );
    await assert.rejects(createTokenContract(n.as(bob), { body }), refusal('STATE_CONFLICT', /already/));
    const seen = await getTokenContract(n.as(bob), { address: own });
    assert.deepEqual([seen.name, seen.tenant, seen.transactionHash], ['Own', undefined, made.transactionHash]);
    assert.deepEqual(await makerOf(n.as(bob), own, 'token'), 'DIS#USER#100');
    assert.equal(await makerOf(n.as(bob), own, 'market'), undefined);
    const listed = await getCreatedTokenContracts(n.as(alice), { userId: 'DIS#USER#100' });
    assert.ok([art, own].every((address) => listed.items.some(({ id }) => id === address)));
    assert.deepEqual((await getCreatedTokenContracts(n.as(bob), { userId: 'DIS#USER#100' })).items, []);
    const all = await getCreatedTokenContracts(n.as(operator), { userId: 'DIS#USER#100' });
    assert.equal(all.items.length, listed.items.length);
    assert.deepEqual(
      (await getTokensByCollectionId(n.as(bob), { collectionId: 'spring' })).items.map(({ id }) => id),
      [own],
    );
  });

  it('creates a market and adds more currencies', async () => {
    const bazaar = `bazaar.${serverAccount}`;
    const body = { contractId: 'bazaar', ownerAccount: 'artist.near', chainId: 'near:localnet' };
    const made = await createMarketContract(n.as(alice), { body });
    assert.deepEqual([made.tokenAddress, made.type], [bazaar, 'MARKET']);
    await assert.rejects(
      addFtTokenIds(n.as(alice), { address: bazaar, body: ['seller.near'] }),
      refusal('VALIDATION_FAILED', /not a fungible token contract/),
    );
    const added = await addFtTokenIds(n.as(alice), { address: bazaar, body: ['coin.near'] });
    assert.deepEqual(added.ftTokenIds, ['near', 'coin.near']);
    await assert.rejects(
      createMarketContract(n.as(alice), { body: { ...body, chainId: 'mainnet' } }),
      refusal('VALIDATION_FAILED', /localnet/),
    );
    await assert.rejects(
      createMarketContract(n.as(alice), { body: { contractId: 'other', ownerAccount: 'nobody.near' } }),
      refusal('VALIDATION_FAILED', /not an account/),
    );
  });

  it('mints within the types of a contract, once per id, and returns the on-chain token', async () => {
    const press = `press.${serverAccount}`;
    await createTokenContract(n.as(alice), {
      body: { name: 'Press', contractId: 'press', tokenOptions: [{ type: 'print', cap: '100' }] },
    });
    const mint = (id: string, more: object) =>
      mintToken(n.as(alice), { address: press, receiverId: 'seller.near', body: { id, ...more } });
    const royalties = [{ address: 'artist.near', value: '1000', label: 'artist' }];
    const minted = await mint('1', { type: 'print', name: 'One', properties: { royalties, issuance: '1' } });
    assert.equal(minted.tokenId, '1');
    const again = await mint('1', { type: 'print', name: 'One', properties: { royalties, issuance: '1' } });
    assert.equal(again.transactionHash, minted.transactionHash);
    await assert.rejects(mint('1', { type: 'print', name: 'Two' }), refusal('STATE_CONFLICT'));
    await assert.rejects(mint('2', { type: 'gold' }), refusal('STATE_CONFLICT', /Token type must be/));
    await assert.rejects(
      mint('2', { properties: { royalties: [{ address: 'artist.near', value: '10001' }] } }),
      refusal('VALIDATION_FAILED'),
    );
    const types = await addTokenTypes(n.as(alice), {
      address: press,
      body: { types: [{ type: 'gold', cap: '1' }], locked: true },
    });
    assert.deepEqual(
      Object(types.types).map((type: { locked: boolean }) => type.locked),
      [false, true],
    );
    await mint('gold', { type: 'gold' });
    const pass = { tokenAddress: press, tokenId: 'gold', sender: 'seller.near', receiver: 'buyer.near' };
    await assert.rejects(n.signed(transferToken, n.people.seller, pass), refusal('STATE_CONFLICT', /locked/));
    await unlockTokenTypes(n.as(alice), { address: press, body: ['gold'] });
    const drawn = await mintToken(n.as(alice), { address: press, body: { type: 'print' } });
    const token = await getTokenById(n.as(bob), { address: press, id: drawn.tokenId });
    assert.deepEqual([token.ownerAddress, token.tokenContract?.name], [serverAccount, 'Press']);
    const first = await getTokenById(n.as(bob), { address: press, id: '1' });
    assert.deepEqual([first.metadata, first.ownerAddress], [{ title: 'One', copies: '1' }, 'seller.near']);
    const page = await getTokens(n.as(bob), { address: press, limit: 2 });
    const rest = await getTokens(n.as(bob), { address: press, limit: 2, paginationToken: page.paginationToken });
    assert.deepEqual(
      [...page.items, ...rest.items].map(({ id }) => id),
      ['1', 'gold', drawn.tokenId],
    );
    assert.equal(rest.paginationToken, undefined);
  });

  it('transfers a token only when its owner signs the requested transaction', async () => {
    await n.mint('passed');
    const body = { tokenAddress: art, tokenId: 'passed', sender: 'seller.near', receiver: 'rival.near', price: '5' };
    const request = await transferToken(n.as(alice), { body });
    assert.equal(request.ownerAddress, 'seller.near');
    assert.deepEqual(request.toSign?.[0]?.actions, [
      {
        kind: 'call',
        method: 'nft_transfer',
        args: { receiver_id: 'rival.near', token_id: 'passed', memo: 'price: 5' },
        teraGas: 30,
        yocto: '1',
      },
    ]);
    const send = (header: string, wanted: typeof body = body, actor = alice) =>
      transferToken(n.as(actor), { 'x-near-signature': header, body: wanted });
    const wrong = n.sign(n.people.buyer, request.toSign);
    const right = n.sign(n.people.seller, request.toSign);
    for (const header of [wrong, 'AAAA', 'x', `${right},${right}`, right.slice(4)])
      await assert.rejects(send(header), refusal('INVALID_CREDENTIAL'));
    await assert.rejects(send(right, { ...body, receiver: 'buyer.near' }), refusal('INVALID_CREDENTIAL'));
    await assert.rejects(send(right, body, bob), refusal('INVALID_CREDENTIAL'), 'the signature is of another caller');
    const height = n.chain.head.height;
    const done = await send(right);
    assert.deepEqual([done.ownerAddress, done.transactionHash], ['rival.near', request.toSign?.[0]?.hash]);
    assert.ok(n.chain.head.height > height);
    const after = n.chain.head.height;
    assert.equal((await send(right)).transactionHash, done.transactionHash, 'sent again, it is not done again');
    assert.equal(n.chain.head.height, after);
    await assert.rejects(transferToken(n.as(alice), { body }), refusal('STATE_CONFLICT', /does not belong/));
    await assert.rejects(
      transferToken(n.as(alice), { body: { ...body, tokenId: 'none' } }),
      refusal('ENTITY_NOT_FOUND'),
    );
    await assert.rejects(
      transferToken(n.as(alice), { body: { ...body, sender: serverAccount } }),
      refusal('ROLE_NOT_ALLOWED'),
    );
  });

  it('accepts a complete transaction that a wallet signed with its own nonce, if it matches the request', async () => {
    await n.mint('wallet');
    const body = { tokenAddress: art, tokenId: 'wallet', sender: 'seller.near', receiver: 'rival.near' };
    await transferToken(n.as(alice), { body });
    const client = n.clientOf(n.people.seller);
    const sign = async (receiver: string) => {
      const args = { receiver_id: receiver, token_id: 'wallet' };
      const call = actions.functionCall('nft_transfer', args, 30_000_000_000_000n, 1n);
      const transaction = await client.createSignedTransaction({ receiverId: art, actions: [call] });
      return Buffer.from(transaction.encode()).toString('base64');
    };
    const other = await sign('buyer.near');
    await assert.rejects(
      transferToken(n.as(alice), { 'x-near-signature': other, body }),
      refusal('INVALID_CREDENTIAL'),
    );
    const header = await sign('rival.near');
    assert.equal((await transferToken(n.as(alice), { 'x-near-signature': header, body })).ownerAddress, 'rival.near');
  });

  it('burns bridged tokens for an address on Ethereum', async () => {
    const token = 'dac17f958d2ee523a2206206994597c13d831ec7.factory.near';
    for (const id of ['factory.near', token]) n.chain.createAccount(id);
    n.chain.deploy('factory.near', 'bridge-factory');
    const metadata = { spec: 'ft-1.0.0', name: 'Tether', symbol: 'USDT.e', decimals: 6 };
    n.chain.deploy(token, 'bridge-token', { owner_id: 'buyer.near', total_supply: '500', metadata });
    const body = { bridgeTokenContract: token, sender: 'buyer.near', recipient: `0x${'ab'.repeat(20)}`, amount: '300' };
    await assert.rejects(
      nearToEth(n.as(alice), { body: { ...body, amount: '501' } }),
      refusal('STATE_CONFLICT', /500/),
    );
    const done = await n.signed(nearToEth, n.people.buyer, body);
    assert.deepEqual([done.status, done.balance], ['withdrawn', '200']);
  });

  it('returns not found, unavailable or full where appropriate', async () => {
    await assert.rejects(
      getTokenContract(n.as(bob), { address: 'seller.near' }),
      refusal('ENTITY_NOT_FOUND', /Token contract not found/),
    );
    await assert.rejects(
      getSale(n.as(bob), { body: { tokenContract: art, tokenId: '1', marketContract: art } }),
      refusal('ENTITY_NOT_FOUND'),
    );
    await assert.rejects(
      getSale(n.as(bob), { body: { tokenContract: art, tokenId: '1' } }),
      refusal('VALIDATION_FAILED', /marketContract/),
    );
    await assert.rejects(getTokensByCollectionId(n.as(bob), { collectionId: 'No Such' }), refusal('ENTITY_NOT_FOUND'));
    await n.mint('listed');
    await n.mint('listed-too');
    assert.equal((await getTokensByCollectionId(n.as(bob), { collectionId: art })).items[0]?.tokenAddress, art);
    const first = await getTokensByCollectionId(n.as(bob), { collectionId: art, limit: 1 });
    const next = { collectionId: art, limit: 1, paginationToken: first.paginationToken };
    const second = await getTokensByCollectionId(n.as(bob), next);
    assert.deepEqual([first.items.length, second.items.length], [1, 1]);
    assert.notEqual(first.items[0]?.id, second.items[0]?.id);
    await assert.rejects(
      getTokensByCollectionId(n.as(bob), { ...next, collectionId: 'spring' }),
      refusal('INVALID_PAGINATION_TOKEN'),
    );
    const ctx = { ...n.as(alice), near: undefined };
    await assert.rejects(getTokenContract(ctx, { address: art }), refusal('NOT_CONFIGURED', /not set up/));
    n.chain.misbehave({ kind: 'status', status: 503 });
    await assert.rejects(getTokenContract(n.as(bob), { address: art }), refusal('UNAVAILABLE', /cannot be reached/));
    await assert.rejects(n.mint('unavailable'), refusal('UNAVAILABLE'));
    n.chain.behave();
    const { length } = (await getCreatedTokenContracts(n.as(bob), { userId: bob.userId })).items;
    const rows = Array.from({ length: maxContractsPerMaker - length }, (_, index) => ({
      network: 'localnet',
      address: `x${index}.${serverAccount}`,
      kind: 'token' as const,
      created_by_id: bob.userId,
      name: null,
      symbol: null,
      metadata_url: null,
      owner: null,
      classification: null,
      state: 'active' as const,
      transaction_hash: null,
      created_at: n.t.services.clock(),
    }));
    await n.services.db.system.insertInto('near_contracts').values(rows).execute();
    await assert.rejects(createTokenContract(n.as(bob), { body: { name: 'More' } }), refusal('PLAN_LIMIT_REACHED'));
  });

  it('shows owned tokens of any contract with the hash and the time of their own mint', async () => {
    const { transactionHash: hash } = await n.mint('mine');
    const owned = () => getOwnedTokens(n.as(bob), { userId: 'seller.near' });
    const mine = (await owned()).items.find(({ id }) => id === 'mine');
    assert.equal(mine?.transactionHash, hash, 'this server’s own mints are known without an index');
    for (const id of ['foreign.near', 'liar.near']) n.chain.createAccount(id);
    const metadata = { spec: 'nft-1.0.0', name: 'Foreign', symbol: 'FRN' };
    n.chain.deploy('foreign.near', 'nep171', { owner_id: 'artist.near', metadata });
    const args = { token_id: 'f1', receiver_id: 'seller.near' };
    const minted = n.chain.act('artist.near', 'foreign.near', [nearCall('nft_mint', args, { deposit: oneNear })]);
    n.chain.act('artist.near', 'liar.near', [nearCall('nft_mint', args)]);
    const listed = () => getOwnedTokensByContract(n.as(bob), { userId: 'seller.near', address: 'foreign.near' });
    const [unseen] = (await listed()).items;
    assert.deepEqual([unseen?.id, unseen?.transactionHash, unseen?.createdTime], ['f1', undefined, undefined]);
    const blocks = createNearBlocks({
      fetch,
      network: 'localnet',
      urls: [n.chain.url],
      timeoutMs: 120_000,
      startsAfter: 100_000,
    });
    while ((await indexStep(n.services, blocks, new AbortController().signal)) === 'moved');
    const [seen] = (await listed()).items;
    assert.equal(seen?.transactionHash, minted.hash);
    const receipt = await n.services.db.system
      .selectFrom('near_seen_receipts')
      .select('block_time')
      .where('receiver', '=', 'foreign.near')
      .where('predecessor', '=', 'artist.near')
      .executeTakeFirstOrThrow();
    assert.equal(BigInt(Date.parse(seen?.createdTime ?? '')), BigInt(receipt.block_time) / 1_000_000n);
    const everywhere = (await owned()).items.map(({ id, tokenAddress }) => `${tokenAddress} ${id}`);
    assert.ok(everywhere.includes('foreign.near f1') && everywhere.includes(`${art} mine`), String(everywhere));
    const elsewhere = { ...n.services, settings: { ...n.services.settings, nearIndex: 'mainnet' } };
    const [other] = (
      await getOwnedTokensByContract(contextFor(elsewhere, bob), { userId: 'seller.near', address: 'foreign.near' })
    ).items;
    assert.equal(other?.transactionHash, undefined, 'an index of another network is not used for this one');
  });
});
