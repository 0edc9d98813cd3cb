import { notFound } from '@latchkey/kernel';
import type { Near } from '../../ports/index.ts';
import type { TokenListing, TokenSaleResult, TokenValue } from './market-records.ts';
import { viewOf } from './near-setup.ts';

/** The id of NEAR itself in place of a fungible token. */
export const nativeToken = 'near';

export interface SalePlace {
  market: string;
  contract: string;
  tokenId: string;
}

/** A sale as stored by a market, without malformed parts. */
export interface ChainSale {
  seller: string;
  contract: string;
  tokenId: string;
  tokenType: string | undefined;
  isAuction: boolean;
  /** The price in each currency. */
  prices: ReadonlyMap<string, bigint>;
  /** The highest bid in each currency. */
  bids: ReadonlyMap<string, { buyer: string; price: bigint }>;
  createdAt: string | undefined;
}

const whole = /^\d{1,39}$/;

/** Nanoseconds since 1970 in 64 bits, which always is a valid date. */
const nanoseconds = /^\d{1,20}$/;

export function readSale(value: unknown): ChainSale | undefined {
  const {
    owner_id: seller,
    nft_contract_id: contract,
    token_id: tokenId,
    created_at: createdNs,
    ...rest
  } = Object(value);
  if (typeof seller !== 'string' || typeof contract !== 'string' || typeof tokenId !== 'string') return undefined;
  const prices = Object.entries(Object(rest.sale_conditions)).flatMap(([token, price]): [string, bigint][] =>
    typeof price === 'string' && whole.test(price) ? [[token, BigInt(price)]] : [],
  );
  const bids = Object.entries(Object(rest.bids)).flatMap(
    ([token, list]): [string, { buyer: string; price: bigint }][] => {
      const { owner_id: buyer, price } = Object(Array.isArray(list) ? list.at(-1) : undefined);
      return typeof buyer === 'string' && whole.test(String(price)) ? [[token, { buyer, price: BigInt(price) }]] : [];
    },
  );
  return {
    seller,
    contract,
    tokenId,
    tokenType: typeof rest.token_type === 'string' ? rest.token_type : undefined,
    isAuction: rest.is_auction === true,
    prices: new Map(prices),
    bids: new Map(bids),
    createdAt: nanoseconds.test(String(createdNs))
      ? new Date(Number(BigInt(String(createdNs)) / 1_000_000n)).toISOString()
      : undefined,
  };
}

/** Finds the sale of a token; undefined if it is not for sale there. */
export async function findSale(near: Near, { market, contract, tokenId }: SalePlace): Promise<ChainSale | undefined> {
  const args = { nft_contract_token: `${contract}||${tokenId}` };
  return readSale(await viewOf(near, { contract: market, method: 'get_sale', args, what: 'market contract' }));
}

export async function getSaleAt(near: Near, place: SalePlace): Promise<ChainSale> {
  const sale = await findSale(near, place);
  if (sale === undefined) throw notFound('sale');
  return sale;
}

const valuesOf = (prices: ReadonlyMap<string, bigint>): TokenValue[] =>
  [...prices].map(([ftContract, price]) => ({ ftContract, price: String(price) }));

export function writeListing(sale: ChainSale): TokenListing {
  return {
    nftContract: sale.contract,
    tokenId: sale.tokenId,
    ...(sale.tokenType !== undefined && { tokenType: sale.tokenType }),
    seller: sale.seller,
    conditions: valuesOf(sale.prices),
    bids: [...sale.bids].map(([ftContract, { buyer, price }]) => ({
      buyer,
      price: { ftContract, price: String(price) },
    })),
    ...(sale.createdAt !== undefined && { createdAt: sale.createdAt }),
  };
}

export function writeSale(near: Near, { market }: SalePlace, sale: ChainSale): TokenSaleResult {
  return {
    chainId: near.network,
    marketContract: market,
    tokenContract: sale.contract,
    tokenId: sale.tokenId,
    seller: sale.seller,
    isAuction: sale.isAuction,
    prices: valuesOf(sale.prices),
  };
}

export interface ChainToken {
  tokenId: string;
  owner: string;
  type: string | undefined;
  royalties: Readonly<Record<string, number>>;
  approvals: readonly string[];
  metadata: Readonly<Record<string, unknown>>;
}

export function readToken(value: unknown): ChainToken | undefined {
  const {
    token_id: tokenId,
    owner_id: owner,
    metadata,
    royalty,
    token_type: type,
    approved_account_ids: approved,
  } = Object(value);
  if (typeof tokenId !== 'string' || typeof owner !== 'string') return undefined;
  const royalties = Object.entries(Object(royalty)).filter(
    (entry): entry is [string, number] => Number.isInteger(entry[1]) && Number(entry[1]) >= 0,
  );
  return {
    tokenId,
    owner,
    type: typeof type === 'string' ? type : undefined,
    royalties: Object.fromEntries(royalties),
    approvals: Object.keys(Object(approved)),
    metadata: Object(metadata),
  };
}

export async function findTokenOf(near: Near, contract: string, tokenId: string): Promise<ChainToken | undefined> {
  const request = { contract, method: 'nft_token', args: { token_id: tokenId }, what: 'token contract' };
  return readToken(await viewOf(near, request));
}

export async function getTokenOf(near: Near, contract: string, tokenId: string): Promise<ChainToken> {
  const token = await findTokenOf(near, contract, tokenId);
  if (token === undefined) throw notFound('token');
  return token;
}

/** Returns how a price will be split, as far as the contracts report it. */
export async function payoutsOf(
  near: Near,
  { market, contract, tokenId }: SalePlace,
  { seller, price }: { seller: string; price: bigint },
): Promise<NonNullable<TokenSaleResult['payouts']>> {
  const [fee, token] = await Promise.all([near.view(market, 'market_fee', {}), findTokenOf(near, contract, tokenId)]);
  const { basis_points: points, account_id: account } = Object(fee.kind === 'value' ? fee.value : {});
  const feeBasisPoints = Number.isInteger(points) && points >= 0 && points <= 10_000 ? Number(points) : 0;
  const royalties = token?.royalties ?? {};
  if (Object.values(royalties).reduce((sum, share) => sum + share, 0) > 10_000) return [];
  const split = splitSale({ price, feeBasisPoints, seller, royalties });
  const shares = [...split.shares].map(([address, share]) => ({
    address,
    amount: String(share),
    label: address === seller ? 'seller' : 'royalty',
  }));
  return split.fee === 0n
    ? shares
    : [...shares, { address: String(account), amount: String(split.fee), label: 'market' }];
}

const wholeInBasisPoints = 10_000n;

interface SaleTerms {
  price: bigint;
  /** The market's fee, in basis points. */
  feeBasisPoints: number;
  seller: string;
  /** Shares of the price after the fee, in basis points, by account. */
  royalties: Readonly<Record<string, number>>;
}

interface SaleSplit {
  fee: bigint;
  /** The amount of each account; together with the fee they are the price. */
  shares: ReadonlyMap<string, bigint>;
}

/** Splits a price: the fee first, then each royalty rounded down, and the seller gets the rest. */
export function splitSale({ price, feeBasisPoints, seller, royalties }: SaleTerms): SaleSplit {
  const fee = portion(price, feeBasisPoints);
  const rest = price - fee;
  const shares = new Map<string, bigint>();
  for (const [account, points] of Object.entries(royalties))
    if (account !== seller) shares.set(account, portion(rest, points));
  const given = [...shares.values()].reduce((sum, share) => sum + share, 0n);
  if (given > rest) throw new RangeError('The royalties exceed 100%.');
  shares.set(seller, rest - given);
  return { fee, shares };
}

function portion(amount: bigint, basisPoints: number): bigint {
  return (amount * BigInt(basisPoints)) / wholeInBasisPoints;
}

export interface PlacedBid {
  buyer: string;
  price: bigint;
}

/** Returns the highest bid after another one, and the one to refund. A bid that is not higher changes nothing. */
export function placeBid(
  standing: PlacedBid | undefined,
  bid: PlacedBid,
): { standing: PlacedBid; paidBack: PlacedBid | undefined } | undefined {
  if (standing !== undefined && bid.price <= standing.price) return undefined;
  return { standing: bid, paidBack: standing };
}
