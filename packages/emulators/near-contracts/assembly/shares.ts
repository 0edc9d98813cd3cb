import { require, panic } from "./host";
import { isAccount } from "./args";
import { Json, Kind, quote } from "./json";
import { U128 } from "./u128";

/** Numbers by account: royalties in basis points, or approval ids. */
export class Shares {
  accounts: string[] = [];
  numbers: u32[] = [];

  static read(value: Json | null, what: string): Shares {
    const shares = new Shares();
    if (value === null) return shares;
    require(value.kind == Kind.Object, what);
    for (let at = 0; at < value.names.length; at++) {
      const item = value.items[at];
      const number = item.kind == Kind.Number ? U128.parse(item.raw) : null;
      if (number === null || number.hi != 0 || number.lo > 0xffffffff) panic(what);
      shares.set(value.names[at], <u32>number!.lo);
    }
    return shares;
  }

  find(account: string): i64 {
    const at = this.accounts.indexOf(account);
    return at < 0 ? -1 : <i64>this.numbers[at];
  }

  set(account: string, number: u32): void {
    const at = this.accounts.indexOf(account);
    if (at >= 0) {
      this.numbers[at] = number;
      return;
    }
    this.accounts.push(account);
    this.numbers.push(number);
  }

  remove(account: string): void {
    const at = this.accounts.indexOf(account);
    if (at < 0) return;
    this.accounts.splice(at, 1);
    this.numbers.splice(at, 1);
  }

  write(): string {
    const fields: string[] = [];
    for (let at = 0; at < this.accounts.length; at++)
      fields.push(quote(this.accounts[at]) + ":" + this.numbers[at].toString());
    return "{" + fields.join(",") + "}";
  }
}

const maxRoyalties = 10;

export function readRoyalties(value: Json | null): Shares {
  const royalties = Shares.read(value, "invalid royalty");
  require(royalties.accounts.length <= maxRoyalties, "Cannot add more than 10 perpetual royalty amounts");
  let total: u64 = 0;
  for (let at = 0; at < royalties.numbers.length; at++) {
    require(isAccount(royalties.accounts[at]), "invalid royalty");
    total += <u64>royalties.numbers[at];
  }
  require(total <= 10_000, "Perpetual royalties cannot be more than the whole");
  return royalties;
}

/** Returns the payout as JSON: each royalty is rounded down, and the owner gets the rest. */
export function writePayout(balance: U128, owner: string, royalties: Shares, maxLength: i64): string {
  const fields: string[] = [];
  let left = balance;
  for (let at = 0; at < royalties.accounts.length; at++) {
    if (royalties.accounts[at] == owner) continue;
    const share = balance.portion(royalties.numbers[at]);
    left = left.minus(share);
    fields.push(quote(royalties.accounts[at]) + ':"' + share.toString() + '"');
  }
  fields.push(quote(owner) + ':"' + left.toString() + '"');
  require(maxLength < 0 || <i64>fields.length <= maxLength, "Market cannot payout to that many receivers");
  return '{"payout":{' + fields.join(",") + "}}";
}
