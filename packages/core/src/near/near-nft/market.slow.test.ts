import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { nearCall } from '@latchkey/emulators/near-chain';
import { alice } from '../../testing/index.ts';
import { acceptOffer, buyToken } from './buy.ts';
import { mintToken } from './change-contract.ts';
import {
  getSale,
  getSaleByTokenId,
  getSales,
  getSalesBySeller,
  getSalesByTokenContract,
  getSalesByTokenType,
} from './market-operations.ts';
import { removeSale, sellToken, updatePrice } from './sell.ts';
import { art, bob, market, refusal, type TokenWorld, tokenWorld } from './testing/world.ts';
import { oneNear } from './testing.ts';
import { getBalance } from './token-reads.ts';
import { getOwnedTokens, getOwnedTokensByContract } from './tokens-as-contracts.ts';

describe('markets on NEAR', () => {
  let n: TokenWorld;
  before(async () => {
    n = await tokenWorld('near-markets');
  });
  after(() => n.close());

  const item = (tokenId: string) => ({ marketContract: market, tokenContract: art, tokenId });
  const near = (price: bigint) => ({ ftContract: 'near', price: String(price) });

  it('sells at the price, pays royalties and fee to the last yocto, and shows the split beforehand', async () => {
    const royalties = [{ address: 'artist.near', value: '1000', label: 'artist' }];
    await n.mint('1', { properties: { royalties } });
    const price = 3n * oneNear + 1n;
    const sale = { ...item('1'), seller: 'seller.near', prices: [near(price)] };
    await assert.rejects(
      sellToken(n.as(alice), { body: { ...sale, seller: 'buyer.near' } }),
      refusal('STATE_CONFLICT', /does not belong/),
    );
    const listed = await n.signed(sellToken, n.people.seller, sale);
    assert.deepEqual([listed.status, listed.prices], ['listed', [near(price)]]);
    const seen = await getSale(n.as(bob), { body: item('1') });
    assert.deepEqual([seen.seller, seen.tokenType, seen.conditions], ['seller.near', 'print', [near(price)]]);
    assert.deepEqual(await getSaleByTokenId(n.as(bob), item('1')), seen);
    for (const list of [
      getSalesByTokenContract(n.as(bob), { marketContract: market, tokenContract: art }),
      getSalesBySeller(n.as(bob), { marketContract: market, seller: 'seller.near' }),
      getSalesByTokenType(n.as(bob), { marketContract: market, tokenType: 'print', offset: 0, limit: 5 }),
      getSales(n.as(bob), { marketContract: market, indexName: 'owner_id', indexKey: 'seller.near' }),
    ])
      assert.ok((await list).some((sale) => JSON.stringify(sale) === JSON.stringify(seen)));
    const offer = { ...item('1'), buyer: 'buyer.near', price: near(price) };
    await assert.rejects(
      buyToken(n.as(alice), { body: { ...offer, price: near(price + 1n) } }),
      refusal('STATE_CONFLICT', /The price is/),
    );
    const before = { seller: n.balance('seller'), artist: n.balance('artist') };
    const request = await buyToken(n.as(alice), { body: offer });
    const share = (label: string) => BigInt(request.payouts?.find((payout) => payout.label === label)?.amount ?? '0');
    assert.equal(share('seller') + share('royalty') + share('market'), price);
    const header = n.sign(n.people.buyer, request.toSign);
    const bought = await buyToken(n.as(alice), { 'x-near-signature': header, body: offer });
    assert.deepEqual([bought.status, bought.buyer], ['sold', 'buyer.near']);
    assert.equal(n.balance('seller') - before.seller, share('seller'));
    assert.equal(n.balance('artist') - before.artist, share('royalty') + share('market'));
    await assert.rejects(getSale(n.as(bob), { body: item('1') }), refusal('ENTITY_NOT_FOUND', /Sale not found/));
  });

  it('requires the storage of a sale to be paid first, as long as it is not', async () => {
    const fresh = n.chain.createAccount('fresh.near');
    const body = { id: '5', type: 'print' };
    await mintToken(n.as(alice), { address: art, receiverId: 'fresh.near', body });
    const sale = { ...item('5'), seller: 'fresh.near', prices: [near(oneNear)] };
    const request = await sellToken(n.as(alice), { body: sale });
    assert.deepEqual(
      request.toSign?.map(({ receiverId }) => receiverId),
      [market, art],
    );
    await n.signed(sellToken, fresh, sale);
    await n.signed(removeSale, fresh, sale);
    assert.equal((await sellToken(n.as(alice), { body: sale })).toSign?.length, 1);
  });

  it('sends nothing when the price changed after it was signed', async () => {
    await n.mint('2');
    const sale = { ...item('2'), seller: 'seller.near', prices: [near(oneNear)] };
    await n.signed(sellToken, n.people.seller, sale);
    const offer = { ...item('2'), buyer: 'buyer.near', price: near(oneNear) };
    const request = await buyToken(n.as(alice), { body: offer });
    const header = n.sign(n.people.buyer, request.toSign);
    const raised = { ...sale, prices: [near(2n * oneNear)] };
    assert.deepEqual((await n.signed(updatePrice, n.people.seller, raised)).prices, [near(2n * oneNear)]);
    const had = n.balance('buyer');
    await assert.rejects(
      buyToken(n.as(alice), { 'x-near-signature': header, body: offer }),
      refusal('STATE_CONFLICT', /price changed/),
    );
    assert.equal(n.balance('buyer'), had);
    assert.equal((await n.signed(removeSale, n.people.seller, sale)).status, 'removed');
    await assert.rejects(removeSale(n.as(alice), { body: sale }), refusal('ENTITY_NOT_FOUND'));
  });

  it('collects bids, refunds lower ones, and sells to the highest that the seller accepts', async () => {
    await n.mint('3');
    const sale = { ...item('3'), seller: 'seller.near', isAuction: true, prices: [near(oneNear)] };
    await n.signed(sellToken, n.people.seller, sale);
    const offer = (buyer: string, price: bigint) => ({ ...item('3'), buyer: `${buyer}.near`, price: near(price) });
    await assert.rejects(
      buyToken(n.as(alice), { body: offer('buyer', oneNear - 1n) }),
      refusal('STATE_CONFLICT', /lowest bid/),
    );
    assert.equal((await n.signed(buyToken, n.people.buyer, offer('buyer', oneNear))).status, 'offered');
    await assert.rejects(
      buyToken(n.as(alice), { body: offer('rival', oneNear) }),
      refusal('STATE_CONFLICT', /higher than/),
    );
    const had = n.balance('buyer');
    await n.signed(buyToken, n.people.rival, offer('rival', 2n * oneNear));
    assert.equal(n.balance('buyer') - had, oneNear);
    assert.deepEqual((await getSale(n.as(bob), { body: item('3') })).bids, [
      { buyer: 'rival.near', price: near(2n * oneNear) },
    ]);
    const accept = { ...offer('buyer', oneNear), seller: 'seller.near' };
    await assert.rejects(acceptOffer(n.as(alice), { body: accept }), refusal('STATE_CONFLICT', /highest bid is/));
    const sold = await n.signed(acceptOffer, n.people.seller, { ...accept, ...offer('rival', 2n * oneNear) });
    assert.deepEqual([sold.status, sold.buyer], ['sold', 'rival.near']);
    const owned = await getOwnedTokens(n.as(bob), { userId: 'rival.near' });
    assert.deepEqual(
      owned.items.map(({ id, tokenAddress }) => [id, tokenAddress]),
      [['3', art]],
    );
    const inArt = await getOwnedTokensByContract(n.as(bob), { userId: 'rival.near', address: art });
    assert.deepEqual(
      inArt.items.map(({ id, owner }) => [id, owner]),
      [['3', 'rival.near']],
    );
  });

  it('sells for fungible tokens', async () => {
    for (const account of ['seller.near', 'artist.near', market])
      n.chain.act('buyer.near', 'coin.near', [
        nearCall('storage_deposit', { account_id: account }, { deposit: oneNear }),
      ]);
    await n.mint('4');
    const price = { ftContract: 'coin.near', price: '1000' };
    await n.signed(sellToken, n.people.seller, { ...item('4'), seller: 'seller.near', prices: [price] });
    const bought = await n.signed(buyToken, n.people.buyer, { ...item('4'), buyer: 'buyer.near', price });
    assert.equal(bought.status, 'sold');
    const coins = async (userId: string, erc20: string) => (await getBalance(n.as(bob), { userId, erc20 })).balance;
    assert.deepEqual([await coins('seller.near', 'coin.near'), await coins('artist.near', 'coin')], ['975', '25']);
    assert.equal((await getBalance(n.as(bob), { userId: 'seller.near' })).balance, String(n.balance('seller')));
    await assert.rejects(getBalance(n.as(bob), { userId: 'seller.near', erc20: 'GOLD' }), refusal('ENTITY_NOT_FOUND'));
    await assert.rejects(getBalance(n.as(bob), { userId: 'DIS#USER#100' }), refusal('ENTITY_NOT_FOUND'));
  });
});
