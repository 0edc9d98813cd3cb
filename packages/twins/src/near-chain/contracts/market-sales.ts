import { panic, type ReadStorage, require, type Storage } from './contract.ts';
import { addToSet, readSet, takeFromSet } from './indexed-set.ts';

/** What stands for NEAR itself where a fungible token is named. */
export const nativeToken = 'near';

export interface Bid {
  owner_id: string;
  price: string;
}

/** A sale as the market's views write it. Of each currency only the highest bid lives; the others were paid back. */
export interface Sale {
  owner_id: string;
  approval_id: number;
  nft_contract_id: string;
  token_id: string;
  token_type: string | null;
  sale_conditions: Readonly<Record<string, string>>;
  bids: Readonly<Record<string, readonly Bid[]>>;
  created_at: string;
  is_auction: boolean;
}

export const saleId = (contract: string, token: string) => `${contract}||${token}`;
const saleKey = (id: string) => `sale/${id}`;
export const allSales = 'sales';
export const salesOfOwner = (owner: string) => `by-owner/${owner}`;
export const salesOfContract = (contract: string) => `by-contract/${contract}`;
export const salesOfType = (type: string) => `by-type/${type}`;

function setsOf(sale: Sale): string[] {
  const sets = [allSales, salesOfOwner(sale.owner_id), salesOfContract(sale.nft_contract_id)];
  return sale.token_type === null ? sets : [...sets, salesOfType(sale.token_type)];
}

export function findSale(storage: ReadStorage, id: string): Sale | undefined {
  return storage.get<Sale>(saleKey(id));
}

export function getSale(storage: ReadStorage, id: string): Sale {
  return findSale(storage, id) ?? panic('No sale');
}

export function putSale(storage: Storage, sale: Sale): void {
  const id = saleId(sale.nft_contract_id, sale.token_id);
  storage.set(saleKey(id), sale);
  for (const set of setsOf(sale)) addToSet(storage, set, id);
}

export function takeSale(storage: Storage, id: string): Sale {
  const sale = getSale(storage, id);
  storage.set(saleKey(id), undefined);
  for (const set of setsOf(sale)) takeFromSet(storage, set, id);
  return sale;
}

export function listSales(storage: ReadStorage, set: string, from: number, limit: number): Sale[] {
  return readSet(storage, set)
    .page(from, limit)
    .map((id) => getSale(storage, id));
}

/** The bids of a sale with a new highest one, and the one it replaces. */
export function outbid(sale: Sale, token: string, bid: Bid): { sale: Sale; replaced: Bid | undefined } {
  const replaced = sale.bids[token]?.at(-1);
  require(replaced === undefined ||
    BigInt(replaced.price) < BigInt(bid.price), "Can't pay less than or equal to current bid price");
  return { sale: { ...sale, bids: { ...sale.bids, [token]: [bid] } }, replaced };
}
