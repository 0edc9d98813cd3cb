// A market for non-fungible tokens: sales, auctions and offers in NEAR and in fungible tokens, with royalties (NEP-199).
import {
  accountArg,
  amountArg,
  amountOf,
  isAccount,
  isTrue,
  missing,
  numberArg,
  optionalAccount,
  readArgs,
  textArg,
} from "./args";
import {
  answer,
  answerWith,
  awaited,
  bytesUsed,
  call,
  callBack,
  deposit,
  forget,
  nowNs,
  panic,
  predecessor,
  require,
  requireOneYocto,
  requireSelf,
  signer,
  store,
  stored,
  teraGas,
  transfer,
} from "./host";
import { Json, Kind, parseJson, quote } from "./json";
import { bytesPerSale, currencies, feePoints, isTaken, paidFor, saleCost } from "./market-settings";
import { maxPayouts, pay, payOut, refundBids } from "./payments";
import { findSale, getSale, nativeToken, Sale, saleId, salesOfOwner, Terms } from "./sales";
import { U128 } from "./u128";

export {
  get_sale,
  get_sales_by_nft_contract_id,
  get_sales_by_nft_token_type,
  get_sales_by_owner_id,
  get_supply_by_owner_id,
  get_supply_sales,
  market_fee,
  storage_balance_of,
  storage_minimum_balance,
  supported_ft_token_ids,
} from "./market-views";

const maxCurrencies = 5;
const maxFeePoints = 5_000;
/** The fee of a bid, for every bidder. */
const bytesPerBid: u64 = 250;
const handoverGas: u64 = 10 * teraGas;
/** Enough for eleven payments in a fungible token. */
const resolveGas: u64 = 80 * teraGas;

/** Parses a list of account ids. */
function accountsIn(value: Json | null, name: string): string[] {
  if (value === null || value.kind != Kind.List) missing(name);
  const accounts: string[] = [];
  for (let at = 0; at < value!.items.length; at++) {
    const account = value!.items[at].text;
    require(isAccount(account), "invalid account in `" + name + "`");
    accounts.push(account);
  }
  return accounts;
}

function init(): void {
  const args = readArgs();
  require(stored("owner") === null, "The contract has already been initialized");
  const owner = accountArg(args, "owner_id");
  const points = numberArg(args, "fee_basis_points");
  require(points <= maxFeePoints, "invalid fee");
  const account = optionalAccount(args, "fee_account_id");
  store("owner", owner);
  store("fee-account", account === null ? owner : account);
  store("fee-points", (points < 0 ? 0 : points).toString());
  if (args.find("ft_token_ids") === null) return;
  const tokens = accountsIn(args.find("ft_token_ids"), "ft_token_ids");
  for (let at = 0; at < tokens.length; at++) if (tokens[at] != nativeToken) currencies().add(tokens[at]);
}
export { init as new };

export function add_ft_token_ids(): void {
  const owner = stored("owner");
  require(owner !== null && owner == predecessor(), "Owner must add tokens");
  const tokens = accountsIn(readArgs().find("ft_token_ids"), "ft_token_ids");
  const added: string[] = [];
  for (let at = 0; at < tokens.length; at++) {
    added.push(isTaken(tokens[at]) ? "false" : "true");
    if (tokens[at] != nativeToken) currencies().add(tokens[at]);
  }
  answer("[" + added.join(",") + "]");
}

/** Parses a JSON message inside JSON. */
function readMessage(text: string): Json {
  const value = parseJson(text);
  if (value === null || value.kind != Kind.Object) panic("Not valid market data");
  return value!;
}

/** Called by a token contract whose owner approved this market; the message has the sale conditions. */
export function nft_on_approve(): void {
  const args = readArgs();
  const contract = predecessor();
  const owner = accountArg(args, "owner_id");
  require(contract != signer(), "nft_on_approve should only be called via cross-contract call");
  require(owner == signer(), "owner_id should be signer_id");
  const token = textArg(args, "token_id");
  const message = readMessage(textArg(args, "msg"));
  const approval = numberArg(args, "approval_id");
  require(approval >= 0, "missing field `approval_id`");
  const type = message.find("token_type");
  const typeName: string | null = type !== null && type.kind == Kind.Text ? type.text : null;
  const sale = new Sale(owner, <u32>approval, contract, token, typeName, nowNs().toString(), isTrue(message, "is_auction"));
  addTerms(sale, message.find("sale_conditions"));
  const earlier = findSale(saleId(contract, token));
  if (earlier !== null) {
    earlier.remove();
    refundBids(earlier);
  }
  const paid = paidFor(owner);
  const room = saleCost().times(salesOfOwner(owner).size + 1);
  require(!paid.isLess(room), "Insufficient storage paid: " + paid.toString() + ", for " + room.toString());
  const before = bytesUsed();
  sale.put();
  const used = bytesUsed() - before + bytesPerBid * <u64>sale.terms.length;
  require(used <= bytesPerSale, "The sale takes more room than is paid for");
}

function addTerms(sale: Sale, conditions: Json | null): void {
  if (conditions === null || conditions.kind != Kind.Object || conditions.names.length == 0)
    panic("A sale needs at least one price");
  require(conditions!.names.length <= maxCurrencies, "A sale has at most 5 prices");
  for (let at = 0; at < conditions!.names.length; at++) {
    const token = conditions!.names[at];
    const price = conditions!.items[at];
    require(isTaken(token), "Token " + token + " not supported by this market");
    require(price.kind == Kind.Text, "invalid price");
    require(sale.termsIn(token) === null, "A sale has one price in each currency");
    sale.terms.push(new Terms(token, amountOf(price.text, "invalid price")));
  }
}

/** Buys at once if the price is met, otherwise leaves a bid for the seller. Returns true for a purchase. */
function takeOffer(id: string, token: string, buyer: string, price: U128): bool {
  const sale = getSale(id);
  require(sale.owner != buyer, "Cannot bid on your own sale.");
  const found = sale.termsIn(token);
  if (found === null) panic("Token " + token + " is not accepted for this sale");
  const terms = found!;
  require(!price.isZero, "Attached deposit must be greater than 0");
  if (!sale.isAuction && price.equals(terms.price)) {
    purchase(sale, token, buyer, price, false);
    return true;
  }
  require(sale.isAuction || price.isLess(terms.price), "The offer is higher than the price");
  require(!sale.isAuction || !price.isLess(terms.price), "Attached deposit must be greater than reserve price");
  const replaced = terms.bidder;
  const earlier = terms.bid;
  require(replaced === null || earlier.isLess(price), "Can't pay less than or equal to current bid price");
  terms.bidder = buyer;
  terms.bid = price;
  sale.put();
  if (replaced !== null) pay(token, replaced, earlier);
  return false;
}

/** Ends the sale, refunds the other bids, and has the token transferred before any payment. */
function purchase(sale: Sale, token: string, buyer: string, price: U128, isBid: bool): void {
  sale.remove();
  refundBids(sale);
  const fee = price.portion(feePoints());
  let asked = '{"receiver_id":' + quote(buyer) + ',"token_id":' + quote(sale.token);
  asked += ',"approval_id":' + sale.approval.toString() + ',"memo":"payout from market"';
  asked += ',"balance":"' + price.minus(fee).toString() + '","max_len_payout":' + maxPayouts.toString() + "}";
  const handed = call(sale.contract, "nft_transfer_payout", asked, new U128(1), handoverGas);
  let back = '{"token":' + quote(token) + ',"buyer":' + quote(buyer) + ',"seller":' + quote(sale.owner);
  back += ',"price":"' + price.toString() + '","fee":"' + fee.toString() + '","is_bid":' + (isBid ? "true" : "false");
  answerWith(callBack(handed, "resolve_purchase", back + "}", resolveGas));
}

/** Pays each account its share, or refunds the buyer. Returns the refund of a fungible token. */
export function resolve_purchase(): void {
  requireSelf();
  const args = readArgs();
  const token = textArg(args, "token");
  const buyer = textArg(args, "buyer");
  const seller = textArg(args, "seller");
  const price = amountArg(args, "price");
  const said = awaited();
  if (said === null) {
    // A fungible token is refunded automatically if its transfer callback reports that nothing was used.
    if (token == nativeToken || isTrue(args, "is_bid")) pay(token, buyer, price);
    return answer('"' + price.toString() + '"');
  }
  const fee = amountArg(args, "fee");
  payOut(token, parseJson(said), price.minus(fee), seller);
  const account = stored("fee-account");
  pay(token, account === null ? seller : account, fee);
  answer('"0"');
}

function idIn(args: Json): string {
  return saleId(textArg(args, "nft_contract_id"), textArg(args, "token_id"));
}

export function offer(): void {
  takeOffer(idIn(readArgs()), nativeToken, predecessor(), deposit());
}

/** Receives a fungible token with an offer. The unused part is refunded. */
export function ft_on_transfer(): void {
  const args = readArgs();
  const token = predecessor();
  require(isTaken(token), "Token " + token + " not supported by this market");
  const message = readMessage(textArg(args, "msg"));
  if (!takeOffer(idIn(message), token, accountArg(args, "sender_id"), amountArg(args, "amount"))) answer('"0"');
}

function ownSale(args: Json): Sale {
  const sale = getSale(idIn(args));
  require(sale.owner == predecessor(), "Must be sale owner");
  return sale;
}

export function accept_offer(): void {
  requireOneYocto();
  const args = readArgs();
  const token = textArg(args, "ft_token_id");
  const sale = ownSale(args);
  const terms = sale.termsIn(token);
  if (terms === null || terms.bidder === null) panic("No bids");
  const buyer = terms!.bidder!;
  terms!.bidder = null;
  purchase(sale, token, buyer, terms!.bid, true);
}

export function remove_sale(): void {
  requireOneYocto();
  const sale = ownSale(readArgs());
  sale.remove();
  refundBids(sale);
}

export function update_price(): void {
  requireOneYocto();
  const args = readArgs();
  const token = textArg(args, "ft_token_id");
  const sale = ownSale(args);
  require(isTaken(token), "Token " + token + " not supported by this market");
  const price = amountArg(args, "price");
  const terms = sale.termsIn(token);
  if (terms === null) {
    require(sale.terms.length < maxCurrencies, "A sale has at most 5 prices");
    sale.terms.push(new Terms(token, price));
  } else terms.price = price;
  sale.put();
}

export function storage_deposit(): void {
  const named = optionalAccount(readArgs(), "account_id");
  const account = named === null ? predecessor() : named;
  const attached = deposit();
  require(!attached.isLess(saleCost()), "Requires minimum deposit of " + saleCost().toString());
  store("d/" + account, paidFor(account).plus(attached).toString());
}

export function storage_withdraw(): void {
  requireOneYocto();
  const account = predecessor();
  const held = saleCost().times(salesOfOwner(account).size);
  const paid = paidFor(account);
  if (!held.isLess(paid)) return;
  if (held.isZero) forget("d/" + account);
  else store("d/" + account, held.toString());
  transfer(account, paid.minus(held));
}

