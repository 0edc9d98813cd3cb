import { AppError } from '@latchkey/kernel';
import type { Near, NearStep } from '../../ports/index.ts';
import type { TokenItem, TokenSale, TokenSaleResult, TokenValue } from './market-records.ts';
import { amountOf, invalidField, type NearContext, needed, requireNetwork, viewOf, withNear } from './near-setup.ts';
import { perform } from './perform.ts';
import { findSale, getSaleAt, getTokenOf, nativeToken, type SalePlace, writeSale } from './sale-on-chain.ts';

type SaleInput = { 'x-near-signature'?: string | undefined; body: TokenSale };

/** For the storage of an approval in the token contract, which refunds what it does not need. */
const approvalYocto = '1000000000000000000000';

export function placeOf(near: Near, body: TokenItem): SalePlace {
  requireNetwork(near, body.chainId);
  return {
    market: needed('/marketContract', body.marketContract ?? near.setup.defaultMarket),
    contract: needed('/tokenContract', body.tokenContract),
    tokenId: needed('/tokenId', body.tokenId),
  };
}

/** Returns prices by currency; each currency once. */
export function pricesOf(prices: readonly TokenValue[] | undefined): Map<string, string> {
  if (!prices?.length) throw invalidField('/prices', 'must contain at least one price');
  const byToken = new Map(
    prices.map(({ ftContract = nativeToken, price }, index) => [ftContract, needed(`/prices/${index}/price`, price)]),
  );
  if (byToken.size < prices.length) throw invalidField('/prices', 'must contain each currency only once');
  return byToken;
}

/** Lists a token for sale: its owner approves the market, and the approval contains the price. */
export function sellToken(
  ctx: NearContext,
  { 'x-near-signature': signatures, body }: SaleInput,
): Promise<TokenSaleResult> {
  return withNear(ctx, async (near) => {
    const place = placeOf(near, body);
    const seller = needed('/seller', body.seller);
    const prices = pricesOf(body.prices);
    const done = await perform(ctx, {
      operation: 'sell',
      request: body,
      signerId: seller,
      signatures,
      prepare: () => prepareSale(near, place, { seller, prices, isAuction: body.isAuction ?? false }),
    });
    if (done.kind === 'to-sign')
      return { ...body, chainId: near.network, marketContract: place.market, status: 'to-sign', toSign: done.toSign };
    return { ...writeSale(near, place, await getSaleAt(near, place)), status: 'listed', transactionHash: done.hash };
  });
}

interface Terms {
  seller: string;
  prices: ReadonlyMap<string, string>;
  isAuction: boolean;
}

async function prepareSale(near: Near, place: SalePlace, { seller, prices, isAuction }: Terms) {
  const { market, contract, tokenId } = place;
  const token = await getTokenOf(near, contract, tokenId);
  requireOwner(token.owner, seller);
  const accepted = await viewOf(near, { contract: market, method: 'supported_ft_token_ids', what: 'market contract' });
  for (const currency of prices.keys())
    if (Array.isArray(accepted) && !accepted.includes(currency))
      throw invalidField('/prices', `contain ${currency}, which this market does not accept`);
  const msg = JSON.stringify({
    sale_conditions: Object.fromEntries(prices),
    is_auction: isAuction,
    ...(token.type !== undefined && { token_type: token.type }),
  });
  const approve: NearStep = {
    kind: 'call',
    method: 'nft_approve',
    args: { token_id: tokenId, account_id: market, msg },
    teraGas: 60,
    yocto: approvalYocto,
  };
  const missing = await missingDeposit(near, market, seller);
  const deposit: NearStep = { kind: 'call', method: 'storage_deposit', args: {}, teraGas: 15, yocto: missing };
  return {
    transactions: [
      ...(missing === '0' ? [] : [{ receiverId: market, steps: [deposit] }]),
      { receiverId: contract, steps: [approve] },
    ],
    seen: { owner: token.owner },
  };
}

/** Returns what a seller must still pay a market for the storage of one more sale. */
async function missingDeposit(near: Near, market: string, seller: string): Promise<string> {
  const ask = (method: string, args = {}) => viewOf(near, { contract: market, method, args, what: 'market contract' });
  const [cost, paid, count] = await Promise.all([
    ask('storage_minimum_balance'),
    ask('storage_balance_of', { account_id: seller }),
    ask('get_supply_by_owner_id', { account_id: seller }),
  ]);
  const each = amountOf(cost);
  const wanted = each * (amountOf(count) + 1n);
  return amountOf(paid) >= wanted ? '0' : String(each);
}

export function requireOwner(owner: string, named: string): void {
  if (owner !== named) throw new AppError('STATE_CONFLICT', `The token does not belong to ${named}.`);
}

export function removeSale(
  ctx: NearContext,
  { 'x-near-signature': signatures, body }: SaleInput,
): Promise<TokenSaleResult> {
  return withNear(ctx, async (near) => {
    const place = placeOf(near, body);
    const seller = needed('/seller', body.seller);
    const done = await perform(ctx, {
      operation: 'remove-sale',
      request: body,
      signerId: seller,
      signatures,
      prepare: async () => {
        const sale = await getSaleAt(near, place);
        requireOwner(sale.seller, seller);
        return {
          transactions: [{ receiverId: place.market, steps: [saleStep('remove_sale', place, {})] }],
          seen: { seller },
        };
      },
    });
    const written = { ...body, chainId: near.network, marketContract: place.market };
    if (done.kind === 'to-sign') return { ...written, status: 'to-sign', toSign: done.toSign };
    const left = await findSale(near, place);
    return left === undefined
      ? { ...written, status: 'removed', transactionHash: done.hash }
      : { ...writeSale(near, place, left), status: 'listed', transactionHash: done.hash };
  });
}

export function updatePrice(
  ctx: NearContext,
  { 'x-near-signature': signatures, body }: SaleInput,
): Promise<TokenSaleResult> {
  return withNear(ctx, async (near) => {
    const place = placeOf(near, body);
    const seller = needed('/seller', body.seller);
    const prices = pricesOf(body.prices);
    const done = await perform(ctx, {
      operation: 'update-price',
      request: body,
      signerId: seller,
      signatures,
      prepare: async () => {
        const sale = await getSaleAt(near, place);
        requireOwner(sale.seller, seller);
        const steps = [...prices].map(([token, price]) =>
          saleStep('update_price', place, { ft_token_id: token, price }),
        );
        return { transactions: [{ receiverId: place.market, steps }], seen: { seller } };
      },
    });
    const sale = await getSaleAt(near, place);
    if (done.kind === 'to-sign') return { ...writeSale(near, place, sale), status: 'to-sign', toSign: done.toSign };
    return { ...writeSale(near, place, sale), status: 'listed', transactionHash: done.hash };
  });
}

/** Returns a call that requires a full-access key, enforced by attaching one yocto. */
export function saleStep(method: string, place: SalePlace, args: Record<string, unknown>, teraGas = 30): NearStep {
  const named = { nft_contract_id: place.contract, token_id: place.tokenId, ...args };
  return { kind: 'call', method, args: named, teraGas, yocto: '1' };
}
