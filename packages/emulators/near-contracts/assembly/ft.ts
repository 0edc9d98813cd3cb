// A fungible token: NEP-141 with metadata (148), storage management (145) and events (300).
import { accountArg, amountArg, isTrue, missing, optionalAccount, optionalText, readArgs, textArg } from "./args";
import {
  answer,
  answerWith,
  awaited,
  call,
  callBack,
  deposit,
  forget,
  logEvent,
  panic,
  predecessor,
  prepaidGas,
  require,
  requireOneYocto,
  requireSelf,
  store,
  stored,
  teraGas,
  transfer,
} from "./host";
import { Kind, parseJson, quote } from "./json";
import { U128 } from "./u128";

/** Reserved for the transfer itself and the callback; the receiver gets the rest. */
const keptGas: u64 = 12 * teraGas;
const resolveGas: u64 = 5 * teraGas;

/** The storage cost of one account's entry: at most 125 bytes. */
function entryCost(): U128 {
  return new U128(10_000_000_000_000_000_000).times(125);
}

/** Returns the balance of an account; null if it is not registered. */
function balanceOf(account: string): U128 | null {
  const text = stored("b/" + account);
  return text === null ? null : U128.parse(text);
}

function registered(account: string): U128 {
  const balance = balanceOf(account);
  if (balance === null) panic("The account " + account + " is not registered");
  return balance!;
}

function setBalance(account: string, amount: U128): void {
  store("b/" + account, amount.toString());
}

function supply(): U128 {
  const text = stored("supply");
  return text === null ? new U128() : U128.parse(text)!;
}

function move(from: string, to: string, amount: U128): void {
  require(from != to, "Sender and receiver should be different");
  require(!amount.isZero, "The amount should be a positive number");
  const had = registered(from);
  require(!had.isLess(amount), "The account doesn't have enough balance");
  setBalance(from, had.minus(amount));
  setBalance(to, registered(to).plus(amount));
}

function logAmount(event: string, owner: string, amount: U128): void {
  logEvent("nep141", "1.0.0", event, '{"owner_id":' + quote(owner) + ',"amount":"' + amount.toString() + '"}');
}

function logMoved(from: string, to: string, amount: U128, memo: string | null): void {
  let data = '{"old_owner_id":' + quote(from) + ',"new_owner_id":' + quote(to) + ',"amount":"' + amount.toString() + '"';
  if (memo !== null) data += ',"memo":' + quote(memo);
  logEvent("nep141", "1.0.0", "ft_transfer", data + "}");
}

function init(): void {
  const args = readArgs();
  require(stored("owner") === null, "The contract has already been initialized");
  const metadata = args.find("metadata");
  if (metadata === null || metadata.kind != Kind.Object) missing("metadata");
  const owner = accountArg(args, "owner_id");
  const amount = amountArg(args, "total_supply");
  store("metadata", metadata!.raw);
  store("owner", owner);
  store("supply", amount.toString());
  setBalance(owner, amount);
  logAmount("ft_mint", owner, amount);
}
export { init as new };

/** Mints tokens; this registers the recipient. */
export function mint(): void {
  const args = readArgs();
  const owner = stored("owner");
  require(owner !== null && owner == predecessor(), "Owner must mint");
  const account = accountArg(args, "account_id");
  const amount = amountArg(args, "amount");
  const had = balanceOf(account);
  store("supply", supply().plus(amount).toString());
  setBalance(account, had === null ? amount : had.plus(amount));
  logAmount("ft_mint", account, amount);
}

export function ft_transfer(): void {
  requireOneYocto();
  const args = readArgs();
  const receiver = accountArg(args, "receiver_id");
  const amount = amountArg(args, "amount");
  move(predecessor(), receiver, amount);
  logMoved(predecessor(), receiver, amount, optionalText(args, "memo"));
}

export function ft_transfer_call(): void {
  requireOneYocto();
  const args = readArgs();
  const gas = prepaidGas();
  require(gas > keptGas, "More gas is required");
  const sender = predecessor();
  const receiver = accountArg(args, "receiver_id");
  const amount = amountArg(args, "amount");
  const msg = textArg(args, "msg");
  move(sender, receiver, amount);
  logMoved(sender, receiver, amount, optionalText(args, "memo"));
  const what = '"sender_id":' + quote(sender) + ',"amount":"' + amount.toString() + '"';
  const asked = call(receiver, "ft_on_transfer", "{" + what + ',"msg":' + quote(msg) + "}", new U128(), gas - keptGas);
  const back = "{" + what + ',"receiver_id":' + quote(receiver) + "}";
  answerWith(callBack(asked, "ft_resolve_transfer", back, resolveGas));
}

/** Returns how much the receiver says it did not use: everything if it failed or returned something else. */
function unusedOf(amount: U128): U128 {
  const said = awaited();
  if (said === null) return amount;
  const value = parseJson(said);
  if (value === null || value.kind != Kind.Text) return amount;
  const unused = U128.parse(value.text);
  return unused === null || amount.isLess(unused) ? amount : unused;
}

/** Refunds what the receiver did not use, as far as it still has it, and returns the used amount. */
export function ft_resolve_transfer(): void {
  requireSelf();
  const args = readArgs();
  const sender = textArg(args, "sender_id");
  const receiver = textArg(args, "receiver_id");
  const amount = amountArg(args, "amount");
  let returned = unusedOf(amount);
  const had = balanceOf(receiver);
  if (had === null) returned = new U128();
  else if (had.isLess(returned)) returned = had;
  if (!returned.isZero) {
    if (balanceOf(sender) !== null) {
      move(receiver, sender, returned);
      logMoved(receiver, sender, returned, null);
    } else {
      // The sender has unregistered in the meantime: the refund has no owner.
      setBalance(receiver, registered(receiver).minus(returned));
      store("supply", supply().minus(returned).toString());
      logAmount("ft_burn", receiver, returned);
    }
  }
  answer('"' + amount.minus(returned).toString() + '"');
}

function entry(): string {
  return '{"total":"' + entryCost().toString() + '","available":"0"}';
}

export function storage_deposit(): void {
  const args = readArgs();
  const named = optionalAccount(args, "account_id");
  const account = named === null ? predecessor() : named;
  const attached = deposit();
  const isNew = balanceOf(account) === null;
  const cost = isNew ? entryCost() : new U128();
  require(!attached.isLess(cost), "The attached deposit is less than the minimum storage balance");
  if (isNew) setBalance(account, new U128());
  transfer(predecessor(), attached.minus(cost));
  answer(entry());
}

export function storage_withdraw(): void {
  requireOneYocto();
  const args = readArgs();
  registered(predecessor());
  if (args.find("amount") !== null)
    require(amountArg(args, "amount").isZero, "The amount is greater than the available storage balance");
  answer(entry());
}

export function storage_unregister(): void {
  requireOneYocto();
  const account = predecessor();
  const had = balanceOf(account);
  if (had === null) return answer("false");
  require(
    had.isZero || isTrue(readArgs(), "force"),
    "Can't unregister the account with the positive balance without force",
  );
  if (!had.isZero) {
    store("supply", supply().minus(had).toString());
    logAmount("ft_burn", account, had);
  }
  forget("b/" + account);
  transfer(account, entryCost().plus(new U128(1)));
  answer("true");
}

export function ft_total_supply(): void {
  answer('"' + supply().toString() + '"');
}

export function ft_balance_of(): void {
  const balance = balanceOf(textArg(readArgs(), "account_id"));
  answer('"' + (balance === null ? "0" : balance.toString()) + '"');
}

export function ft_metadata(): void {
  const metadata = stored("metadata");
  if (metadata === null) panic("The contract is not initialized");
  answer(metadata!);
}

export function storage_balance_bounds(): void {
  const cost = entryCost().toString();
  answer('{"min":"' + cost + '","max":"' + cost + '"}');
}

export function storage_balance_of(): void {
  answer(balanceOf(textArg(readArgs(), "account_id")) === null ? "null" : entry());
}
