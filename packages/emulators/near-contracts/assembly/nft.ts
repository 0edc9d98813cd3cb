// A non-fungible token: NEP-171 with metadata (177), approvals (178), enumeration (181), payouts (199), and types of
// tokens whose number is capped.
import { accountArg, amountArg, missing, numberArg, optionalAccount, optionalText, Page, readArgs, textArg } from "./args";
import {
  answer,
  answerWith,
  awaited,
  bytesUsed,
  call,
  callBack,
  costSince,
  deposit,
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
import { Json, Kind, parseJson, quote } from "./json";
import { readRoyalties, Shares, writePayout } from "./shares";
import { addTypes, takeFromCap, unlockTypes, writeTypes } from "./token-types";
import { addToken, allTokens, logMoved, moveToken, ofType, ownedBy, Token, writeTokens } from "./tokens";
import { U128 } from "./u128";

const maxTokenId = 256;
const maxApprovals = 32;
/** Reserved for the transfer itself and the callback; the receiver gets the rest. */
const keptGas: u64 = 12 * teraGas;
const resolveGas: u64 = 5 * teraGas;
const approveGas: u64 = 10 * teraGas;

function init(): void {
  const args = readArgs();
  require(stored("owner") === null, "The contract has already been initialized");
  const metadata = args.find("metadata");
  if (metadata === null || metadata.kind != Kind.Object) missing("metadata");
  store("metadata", metadata!.raw);
  store("owner", accountArg(args, "owner_id"));
  if (args.find("supply_cap_by_type") !== null) addTypes(args);
}
export { init as new };

function requireOwner(sentence: string): void {
  const owner = stored("owner");
  require(owner !== null && owner == predecessor(), sentence);
}

/** Pays for storage with the deposit and refunds the rest. The contract covers what is missing. */
function settleRoom(before: u64): void {
  const attached = deposit();
  const cost = costSince(before);
  if (cost.isLess(attached)) transfer(predecessor(), attached.minus(cost));
}

export function nft_mint(): void {
  const args = readArgs();
  requireOwner("Owner must mint");
  const before = bytesUsed();
  const id = textArg(args, "token_id");
  require(id.length > 0 && id.length <= maxTokenId, "invalid token id");
  const receiver = optionalAccount(args, "receiver_id");
  const type = optionalText(args, "token_type");
  takeFromCap(type);
  const metadata = args.find("metadata");
  require(metadata === null || metadata.kind == Kind.Object, "invalid metadata");
  const royalties = readRoyalties(args.find("perpetual_royalties"));
  const owner = receiver === null ? predecessor() : receiver;
  const token = new Token(id, owner, type, royalties, new Shares(), 0, metadata === null ? "{}" : metadata.raw);
  addToken(token);
  logEvent("nep171", "1.2.0", "nft_mint", '{"owner_id":' + quote(owner) + ',"token_ids":[' + quote(id) + "]}");
  settleRoom(before);
  answer(token.write());
}

function moveByArgs(args: Json, token: Token): void {
  const memo = optionalText(args, "memo");
  moveToken(token, predecessor(), accountArg(args, "receiver_id"), numberArg(args, "approval_id"), memo);
}

export function nft_transfer(): void {
  requireOneYocto();
  const args = readArgs();
  moveByArgs(args, Token.get(textArg(args, "token_id")));
}

export function nft_transfer_call(): void {
  requireOneYocto();
  const args = readArgs();
  const gas = prepaidGas();
  require(gas > keptGas, "More gas is required");
  const token = Token.get(textArg(args, "token_id"));
  const from = token.owner;
  const approvals = token.approvals;
  const msg = textArg(args, "msg");
  moveByArgs(args, token);
  let told = '{"sender_id":' + quote(predecessor()) + ',"previous_owner_id":' + quote(from);
  told += ',"token_id":' + quote(token.id) + ',"msg":' + quote(msg) + "}";
  const asked = call(token.owner, "nft_on_transfer", told, new U128(), gas - keptGas);
  let back = '{"previous_owner_id":' + quote(from) + ',"receiver_id":' + quote(token.owner);
  back += ',"token_id":' + quote(token.id) + ',"approved_account_ids":' + approvals.write() + "}";
  answerWith(callBack(asked, "nft_resolve_transfer", back, resolveGas));
}

/** Returns true if the receiver kept the token. It is returned if the receiver says so or failed, and still has it. */
export function nft_resolve_transfer(): void {
  requireSelf();
  const args = readArgs();
  const said = awaited();
  let isKept = false;
  if (said !== null) {
    const value = parseJson(said);
    isKept = value !== null && value.kind == Kind.False;
  }
  const owner = textArg(args, "previous_owner_id");
  const receiver = textArg(args, "receiver_id");
  const token = Token.find(textArg(args, "token_id"));
  if (isKept || token === null || token.owner != receiver) return answer("true");
  token.giveTo(owner);
  token.approvals = Shares.read(args.find("approved_account_ids"), "invalid approvals");
  token.put();
  logMoved(receiver, receiver, owner, token.id, null);
  answer("false");
}

function payoutOf(args: Json, owner: string, royalties: Shares): string {
  return writePayout(amountArg(args, "balance"), owner, royalties, numberArg(args, "max_len_payout"));
}

export function nft_transfer_payout(): void {
  requireOneYocto();
  const args = readArgs();
  const token = Token.get(textArg(args, "token_id"));
  const from = token.owner;
  moveByArgs(args, token);
  answer(args.find("balance") === null ? "null" : payoutOf(args, from, token.royalties));
}

export function nft_payout(): void {
  const args = readArgs();
  const token = Token.get(textArg(args, "token_id"));
  answer(payoutOf(args, token.owner, token.royalties));
}

export function add_token_types(): void {
  requireOwner("Owner must add token types");
  addTypes(readArgs());
}

export function unlock_token_types(): void {
  requireOwner("Owner must unlock token types");
  unlockTypes(readArgs());
}

function ownToken(args: Json): Token {
  const token = Token.get(textArg(args, "token_id"));
  require(token.owner == predecessor(), "Predecessor must be token owner");
  return token;
}

/** Approval for another account to transfer a token (NEP-178). Approvals are numbered, and end with the ownership. */
export function nft_approve(): void {
  const attached = deposit();
  require(!attached.isZero, "Must attach storage deposit of at least 1 yoctoNEAR");
  const args = readArgs();
  const token = ownToken(args);
  token.requireUnlocked();
  const account = accountArg(args, "account_id");
  const before = bytesUsed();
  const approval = token.nextApproval;
  token.approvals.set(account, approval);
  require(token.approvals.accounts.length <= maxApprovals, "Cannot add more approvals");
  token.nextApproval = approval + 1;
  token.put();
  const cost = costSince(before);
  require(!attached.isLess(cost), "Must attach " + cost.toString() + " yoctoNEAR to cover storage");
  transfer(predecessor(), attached.minus(cost));
  const msg = optionalText(args, "msg");
  if (msg === null) return;
  const gas = prepaidGas();
  require(gas > approveGas, "More gas is required");
  let told = '{"token_id":' + quote(token.id) + ',"owner_id":' + quote(token.owner);
  told += ',"approval_id":' + approval.toString() + ',"msg":' + quote(msg) + "}";
  answerWith(call(account, "nft_on_approve", told, new U128(), gas - approveGas));
}

export function nft_revoke(): void {
  requireOneYocto();
  const args = readArgs();
  const token = ownToken(args);
  token.approvals.remove(accountArg(args, "account_id"));
  token.put();
}

export function nft_revoke_all(): void {
  requireOneYocto();
  const token = ownToken(readArgs());
  token.approvals = new Shares();
  token.put();
}

export function nft_is_approved(): void {
  const args = readArgs();
  const held = Token.get(textArg(args, "token_id")).approvals.find(textArg(args, "approved_account_id"));
  const wanted = numberArg(args, "approval_id");
  answer(held >= 0 && (wanted < 0 || wanted == held) ? "true" : "false");
}

export function nft_metadata(): void {
  const metadata = stored("metadata");
  if (metadata === null) panic("The contract is not initialized");
  answer(metadata!);
}

export function nft_token(): void {
  const token = Token.find(textArg(readArgs(), "token_id"));
  answer(token === null ? "null" : token.write());
}

function answerSize(size: u32): void {
  answer('"' + size.toString() + '"');
}

export function nft_total_supply(): void {
  answerSize(allTokens().size);
}

export function nft_tokens(): void {
  const page = new Page(readArgs());
  answer(writeTokens(allTokens().page(page.from, page.limit)));
}

export function nft_supply_for_owner(): void {
  answerSize(ownedBy(textArg(readArgs(), "account_id")).size);
}

export function nft_tokens_for_owner(): void {
  const args = readArgs();
  const page = new Page(args);
  answer(writeTokens(ownedBy(textArg(args, "account_id")).page(page.from, page.limit)));
}

export function get_token_types(): void {
  answer(writeTypes());
}

export function nft_supply_for_type(): void {
  answerSize(ofType(textArg(readArgs(), "token_type")).size);
}

export function nft_tokens_for_type(): void {
  const args = readArgs();
  const page = new Page(args);
  answer(writeTokens(ofType(textArg(args, "token_type")).page(page.from, page.limit)));
}
