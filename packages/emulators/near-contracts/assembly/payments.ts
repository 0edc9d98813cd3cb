import { isAccount } from "./args";
import { call, teraGas, transfer } from "./host";
import { Json, quote } from "./json";
import { nativeToken, Sale } from "./sales";
import { U128 } from "./u128";

export const maxPayouts = 10;
const paymentGas: u64 = 5 * teraGas;

export function pay(token: string, account: string, amount: U128): void {
  if (amount.isZero) return;
  if (token == nativeToken) return transfer(account, amount);
  const args = '{"receiver_id":' + quote(account) + ',"amount":"' + amount.toString() + '"}';
  call(token, "ft_transfer", args, new U128(1), paymentGas);
}

export function refundBids(sale: Sale): void {
  for (let at = 0; at < sale.terms.length; at++) {
    const terms = sale.terms[at];
    if (terms.bidder !== null) pay(terms.token, terms.bidder!, terms.bid);
  }
}

/** Pays the payout of a token contract. If it is invalid or exceeds a limit, the seller gets everything. */
export function payOut(token: string, answered: Json | null, balance: U128, seller: string): void {
  const payout: Json | null = answered === null ? null : answered.find("payout");
  let left = balance;
  const amounts: U128[] = [];
  let isSound = payout !== null && payout.names.length > 0 && payout.names.length <= maxPayouts;
  for (let at = 0; isSound && at < payout!.names.length; at++) {
    const amount = U128.parse(payout!.items[at].text);
    isSound = amount !== null && isAccount(payout!.names[at]) && !left.isLess(amount);
    if (!isSound) break;
    amounts.push(amount!);
    left = left.minus(amount!);
  }
  if (!isSound) return pay(token, seller, balance);
  for (let at = 0; at < amounts.length; at++) pay(token, payout!.names[at], amounts[at]);
  pay(token, seller, left);
}
