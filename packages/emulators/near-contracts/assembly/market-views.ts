import { Page, readArgs, textArg } from "./args";
import { answer, stored } from "./host";
import { IndexedSet } from "./indexed-set";
import { Json, quote } from "./json";
import { currencies, feePoints, paidFor, saleCost } from "./market-settings";
import { allSales, nativeToken, salesOfContract, salesOfOwner, salesOfType, saleText, writeSales } from "./sales";

export function get_sale(): void {
  const text = saleText(textArg(readArgs(), "nft_contract_token"));
  answer(text === null ? "null" : text);
}

export function get_supply_sales(): void {
  answer('"' + allSales().size.toString() + '"');
}

export function get_supply_by_owner_id(): void {
  answer('"' + salesOfOwner(textArg(readArgs(), "account_id")).size.toString() + '"');
}

function answerPage(args: Json, set: IndexedSet): void {
  const page = new Page(args);
  answer(writeSales(set, page.from, page.limit));
}

export function get_sales_by_owner_id(): void {
  const args = readArgs();
  answerPage(args, salesOfOwner(textArg(args, "account_id")));
}

export function get_sales_by_nft_contract_id(): void {
  const args = readArgs();
  answerPage(args, salesOfContract(textArg(args, "nft_contract_id")));
}

export function get_sales_by_nft_token_type(): void {
  const args = readArgs();
  answerPage(args, salesOfType(textArg(args, "token_type")));
}

export function supported_ft_token_ids(): void {
  const tokens = currencies().page(0, u32.MAX_VALUE);
  const written = [quote(nativeToken)];
  for (let at = 0; at < tokens.length; at++) written.push(quote(tokens[at]));
  answer("[" + written.join(",") + "]");
}

export function market_fee(): void {
  const account = stored("fee-account");
  const name = account === null ? "null" : quote(account);
  answer('{"basis_points":' + feePoints().toString() + ',"account_id":' + name + "}");
}

export function storage_minimum_balance(): void {
  answer('"' + saleCost().toString() + '"');
}

export function storage_balance_of(): void {
  answer('"' + paidFor(textArg(readArgs(), "account_id")).toString() + '"');
}
