import { digest, forget, panic, require, store, stored } from "./host";
import { IndexedSet } from "./indexed-set";
import { Json, Kind, parseStored, quote } from "./json";
import { U128 } from "./u128";

/** The id of NEAR itself where a fungible token is named. */
export const nativeToken = "near";

/** A price in one currency, and the highest bid in it: lower bids were refunded. */
export class Terms {
  bidder: string | null = null;
  bid: U128 = new U128();
  constructor(
    public token: string,
    public price: U128,
  ) {}

  writeBid(): string {
    return '{"owner_id":' + quote(this.bidder!) + ',"price":"' + this.bid.toString() + '"}';
  }
}

export class Sale {
  terms: Terms[] = [];
  constructor(
    public owner: string,
    public approval: u32,
    public contract: string,
    public token: string,
    public type: string | null,
    public createdNs: string,
    public isAuction: bool,
  ) {}

  /** Returns null if the sale does not accept the currency. */
  termsIn(token: string): Terms | null {
    for (let at = 0; at < this.terms.length; at++) if (this.terms[at].token == token) return this.terms[at];
    return null;
  }

  /** Returns the JSON of the market's views, which is also what is stored. */
  write(): string {
    const prices: string[] = [];
    const bids: string[] = [];
    for (let at = 0; at < this.terms.length; at++) {
      const terms = this.terms[at];
      prices.push(quote(terms.token) + ':"' + terms.price.toString() + '"');
      if (terms.bidder !== null) bids.push(quote(terms.token) + ":[" + terms.writeBid() + "]");
    }
    const type = this.type;
    let text = '{"owner_id":' + quote(this.owner) + ',"approval_id":' + this.approval.toString();
    text += ',"nft_contract_id":' + quote(this.contract) + ',"token_id":' + quote(this.token);
    text += ',"token_type":' + (type === null ? "null" : quote(type));
    text += ',"sale_conditions":{' + prices.join(",") + '},"bids":{' + bids.join(",") + "}";
    text += ',"created_at":"' + this.createdNs + '","is_auction":' + (this.isAuction ? "true" : "false") + "}";
    return text;
  }

  get key(): string {
    return keyOf(saleId(this.contract, this.token));
  }

  put(): void {
    const key = this.key;
    store("s/" + key, this.write());
    const sets = this.sets();
    for (let at = 0; at < sets.length; at++) sets[at].add(key);
  }

  remove(): void {
    const key = this.key;
    forget("s/" + key);
    const sets = this.sets();
    for (let at = 0; at < sets.length; at++) sets[at].take(key);
  }

  private sets(): IndexedSet[] {
    const sets = [allSales(), salesOfOwner(this.owner), salesOfContract(this.contract)];
    const type = this.type;
    if (type !== null) sets.push(salesOfType(type));
    return sets;
  }
}

/** A token id may have any length: its digest always takes the same space. */
function keyOf(id: string): string {
  return digest(id);
}

export const saleId = (contract: string, token: string): string => contract + "||" + token;
export const allSales = (): IndexedSet => new IndexedSet("a");
export const salesOfOwner = (owner: string): IndexedSet => new IndexedSet("o/" + owner);
export const salesOfContract = (contract: string): IndexedSet => new IndexedSet("c/" + contract);
export const salesOfType = (type: string): IndexedSet => new IndexedSet("t/" + digest(type));

export function saleTextAt(key: string): string | null {
  return stored("s/" + key);
}

export function saleText(id: string): string | null {
  return saleTextAt(keyOf(id));
}

export function findSale(id: string): Sale | null {
  const text = saleText(id);
  return text === null ? null : readSale(parseStored(text));
}

export function getSale(id: string): Sale {
  const sale = findSale(id);
  if (sale === null) panic("No sale");
  return sale!;
}

function readSale(value: Json): Sale {
  const type = value.find("token_type");
  const sale = new Sale(
    value.find("owner_id")!.text,
    <u32>U32.parseInt(value.find("approval_id")!.raw),
    value.find("nft_contract_id")!.text,
    value.find("token_id")!.text,
    type === null ? null : type.text,
    value.find("created_at")!.text,
    value.find("is_auction")!.kind == Kind.True,
  );
  const prices = value.find("sale_conditions")!;
  const bids = value.find("bids")!;
  for (let at = 0; at < prices.names.length; at++) {
    const terms = new Terms(prices.names[at], U128.parse(prices.items[at].text)!);
    const bid = bids.find(terms.token);
    if (bid !== null) {
      terms.bidder = bid.items[0].find("owner_id")!.text;
      terms.bid = U128.parse(bid.items[0].find("price")!.text)!;
    }
    sale.terms.push(terms);
  }
  return sale;
}

export function writeSales(set: IndexedSet, from: u32, limit: u32): string {
  const keys = set.page(from, limit);
  const written: string[] = [];
  for (let at = 0; at < keys.length; at++) {
    const text = saleTextAt(keys[at]);
    require(text !== null, "No sale");
    written.push(text!);
  }
  return "[" + written.join(",") + "]";
}
