import { AppError } from '@latchkey/kernel';
import type { Near, NearStep } from '../../ports/index.ts';
import type { TokenOffer, TokenOfferAcceptance, TokenSaleResult } from './market-records.ts';
import { amountOf, type NearContext, needed, viewOf, withNear } from './near-setup.ts';
import { type PreparedNearOperation, perform } from './perform.ts';
import {
  type ChainSale,
  findSale,
  findTokenOf,
  getSaleAt,
  nativeToken,
  payoutsOf,
  placeBid,
  type SalePlace,
  writeSale,
} from './sale-on-chain.ts';
import { placeOf, requireOwner, saleStep } from './sell.ts';

const purchaseTeraGas = 150;

interface Offer {
  buyer: string;
  currency: string;
  price: bigint;
}

/** Buys a token at its price, makes a lower offer, or bids in its auction. */
export function buyToken(
  ctx: NearContext,
  { 'x-near-signature': signatures, body }: { 'x-near-signature'?: string | undefined; body: TokenOffer },
): Promise<TokenSaleResult> {
  return withNear(ctx, async (near) => {
    const place = placeOf(near, body);
    const offer = readOffer(body);
    const done = await perform(ctx, {
      operation: 'buy',
      request: body,
      signerId: offer.buyer,
      signatures,
      prepare: () => prepareOffer(near, place, offer),
    });
    const before = saleSeen(near, place, done.seen);
    if (done.kind === 'to-sign') {
      const payouts = await payoutsOf(near, place, { seller: before.seller ?? '', price: offer.price });
      return { ...before, buyer: offer.buyer, payouts, status: 'to-sign', toSign: done.toSign };
    }
    return { ...before, ...(await readBack(near, place, offer)), transactionHash: done.hash };
  });
}

function readOffer({ buyer, price }: Pick<TokenOffer, 'buyer' | 'price'>): Offer {
  return {
    buyer: needed('/buyer', buyer),
    currency: price?.ftContract ?? nativeToken,
    price: BigInt(needed('/price/price', price?.price)),
  };
}

async function prepareOffer(
  near: Near,
  place: SalePlace,
  { buyer, currency, price }: Offer,
): Promise<PreparedNearOperation> {
  const sale = await getSaleAt(near, place);
  if (sale.seller === buyer) throw new AppError('STATE_CONFLICT', 'The buyer already owns the token.');
  const requested = sale.prices.get(currency);
  if (requested === undefined) throw new AppError('STATE_CONFLICT', `This sale does not accept ${currency}.`);
  if (price === 0n) throw new AppError('STATE_CONFLICT', 'The offer must be greater than zero.');
  if (!sale.isAuction && price > requested)
    throw new AppError('STATE_CONFLICT', `The price is now ${requested}, which is less than the offer.`);
  if (sale.isAuction && price < requested)
    throw new AppError('STATE_CONFLICT', `The lowest bid of this auction is ${requested}.`);
  const standing = sale.bids.get(currency);
  const isPurchase = !sale.isAuction && price === requested;
  if (!isPurchase && placeBid(standing, { buyer, price }) === undefined)
    throw new AppError('STATE_CONFLICT', `The offer must be higher than the current bid of ${standing?.price}.`);
  return {
    transactions: [await offerTransaction(near, place, { buyer, currency, price })],
    seen: { seller: sale.seller, price: pricesIn(sale), auction: sale.isAuction },
  };
}

const pricesIn = (sale: ChainSale) =>
  [...sale.prices].map(([ftContract, price]) => ({ ftContract, price: String(price) }));

/** NEAR is attached to the offer; a fungible token's contract is called to transfer the tokens with it. */
async function offerTransaction(near: Near, place: SalePlace, { buyer, currency, price }: Offer) {
  const on = { nft_contract_id: place.contract, token_id: place.tokenId };
  if (currency === nativeToken) {
    const offer: NearStep = { kind: 'call', method: 'offer', args: on, teraGas: purchaseTeraGas, yocto: String(price) };
    return { receiverId: place.market, steps: [offer] };
  }
  const args = { account_id: buyer };
  const held = amountOf(
    await viewOf(near, { contract: currency, method: 'ft_balance_of', args, what: 'fungible token' }),
  );
  if (held < price) throw new AppError('STATE_CONFLICT', `The buyer only has ${held} of ${currency}.`);
  const transfer: NearStep = {
    kind: 'call',
    method: 'ft_transfer_call',
    args: { receiver_id: place.market, amount: String(price), msg: JSON.stringify(on) },
    teraGas: purchaseTeraGas,
    yocto: '1',
  };
  return { receiverId: currency, steps: [transfer] };
}

function saleSeen(
  near: Near,
  { market, contract, tokenId }: SalePlace,
  seen: PreparedNearOperation['seen'],
): TokenSaleResult {
  const prices = Array.isArray(seen.price) ? seen.price : [];
  return {
    chainId: near.network,
    marketContract: market,
    tokenContract: contract,
    tokenId,
    seller: String(seen.seller),
    isAuction: seen.auction === true,
    prices,
  };
}

/**
 * Reads the outcome of an offer from the chain: the buyer has the token, the bid is placed, or the money was refunded.
 */
async function readBack(near: Near, place: SalePlace, offer: Offer): Promise<TokenSaleResult> {
  const [token, sale] = await Promise.all([findTokenOf(near, place.contract, place.tokenId), findSale(near, place)]);
  if (token?.owner === offer.buyer) return { buyer: offer.buyer, status: 'sold' };
  const bid = sale?.bids.get(offer.currency);
  if (sale !== undefined && bid?.buyer === offer.buyer && bid.price === offer.price)
    return { ...writeSale(near, place, sale), buyer: offer.buyer, status: 'offered' };
  throw new AppError('STATE_CONFLICT', 'The offer failed, and the market refunded it.');
}

/** Accepts the highest bid, for the seller. */
export function acceptOffer(
  ctx: NearContext,
  { 'x-near-signature': signatures, body }: { 'x-near-signature'?: string | undefined; body: TokenOfferAcceptance },
): Promise<TokenSaleResult> {
  return withNear(ctx, async (near) => {
    const place = placeOf(near, body);
    const offer = readOffer(body);
    const seller = needed('/seller', body.seller);
    const done = await perform(ctx, {
      operation: 'accept',
      request: body,
      signerId: seller,
      signatures,
      prepare: async () => {
        const sale = await getSaleAt(near, place);
        requireOwner(sale.seller, seller);
        const bid = sale.bids.get(offer.currency);
        if (bid?.buyer !== offer.buyer || bid.price !== offer.price)
          throw new AppError(
            'STATE_CONFLICT',
            bid === undefined ? 'Offer not found.' : `The highest bid is now ${bid.price} by ${bid.buyer}.`,
          );
        const step = saleStep('accept_offer', place, { ft_token_id: offer.currency }, purchaseTeraGas);
        return {
          transactions: [{ receiverId: place.market, steps: [step] }],
          seen: { seller, price: pricesIn(sale), auction: sale.isAuction },
        };
      },
    });
    const before = saleSeen(near, place, done.seen);
    if (done.kind === 'to-sign') {
      const payouts = await payoutsOf(near, place, { seller, price: offer.price });
      return { ...before, buyer: offer.buyer, payouts, status: 'to-sign', toSign: done.toSign };
    }
    return { ...before, ...(await readBack(near, place, offer)), transactionHash: done.hash };
  });
}
