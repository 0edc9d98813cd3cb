import { defaultPageSize } from '@latchkey/kernel';
import type { TokenItem, TokenListing } from './market-records.ts';
import { type NearContext, viewOf, withNear } from './near-setup.ts';
import { getSaleAt, readSale, writeListing } from './sale-on-chain.ts';
import { placeOf } from './sell.ts';

interface Span {
  offset?: number | undefined;
  limit?: number | undefined;
}

export function getSale(ctx: NearContext, { body }: { body: TokenItem }): Promise<TokenListing> {
  return withNear(ctx, async (near) => writeListing(await getSaleAt(near, placeOf(near, body))));
}

export function getSaleByTokenId(
  ctx: NearContext,
  { marketContract, tokenContract, tokenId }: { marketContract: string; tokenContract: string; tokenId: string },
): Promise<TokenListing> {
  return getSale(ctx, { body: { marketContract, tokenContract, tokenId } });
}

const views = {
  owner_id: { method: 'get_sales_by_owner_id', arg: 'account_id' },
  nft_contract_id: { method: 'get_sales_by_nft_contract_id', arg: 'nft_contract_id' },
  nft_token_type: { method: 'get_sales_by_nft_token_type', arg: 'token_type' },
} as const;

export type SaleIndex = keyof typeof views;
export const saleIndexes = Object.keys(views) as SaleIndex[];

/** The sales of a market under one of its indexes. */
export function getSales(
  ctx: NearContext,
  {
    marketContract,
    indexName,
    indexKey,
    offset = 0,
    limit = defaultPageSize,
  }: {
    marketContract: string;
    indexName: SaleIndex;
    indexKey: string;
  } & Span,
): Promise<TokenListing[]> {
  return withNear(ctx, async (near) => {
    const { method, arg } = views[indexName];
    const args = { [arg]: indexKey, from_index: String(offset), limit };
    const found = await viewOf(near, { contract: marketContract, method, args, what: 'market contract' });
    const sales = Array.isArray(found) ? found.slice(0, limit) : [];
    return sales.flatMap((item) => {
      const sale = readSale(item);
      return sale === undefined ? [] : [writeListing(sale)];
    });
  });
}

export function getSalesByTokenContract(
  ctx: NearContext,
  { tokenContract, ...rest }: { marketContract: string; tokenContract: string } & Span,
): Promise<TokenListing[]> {
  return getSales(ctx, { ...rest, indexName: 'nft_contract_id', indexKey: tokenContract });
}

export function getSalesBySeller(
  ctx: NearContext,
  { seller, ...rest }: { marketContract: string; seller: string } & Span,
): Promise<TokenListing[]> {
  return getSales(ctx, { ...rest, indexName: 'owner_id', indexKey: seller });
}

export function getSalesByTokenType(
  ctx: NearContext,
  { tokenType, ...rest }: { marketContract: string; tokenType: string } & Span,
): Promise<TokenListing[]> {
  return getSales(ctx, { ...rest, indexName: 'nft_token_type', indexKey: tokenType });
}
