import { amountOf, isTrue, missing } from "./args";
import { forget, panic, require, store, stored } from "./host";
import { IndexedSet } from "./indexed-set";
import { Json, Kind, parseStored, quote } from "./json";
import { U128 } from "./u128";

const types = (): IndexedSet => new IndexedSet("types");

function putCap(type: string, cap: string, minted: u32): void {
  store("cap/" + type, '{"cap":"' + cap + '","minted":' + minted.toString() + "}");
}

/** Sets the maximum number of tokens of each type. Tokens of a locked type cannot be transferred. */
export function addTypes(args: Json): void {
  const caps = args.find("supply_cap_by_type");
  if (caps === null || caps.kind != Kind.Object) missing("supply_cap_by_type");
  const isLocked = isTrue(args, "locked");
  for (let at = 0; at < caps!.names.length; at++) {
    const type = caps!.names[at];
    const cap = caps!.items[at];
    require(cap.kind == Kind.Text, "invalid cap of a token type");
    amountOf(cap.text, "invalid cap of a token type");
    require(stored("cap/" + type) === null, "Token type exists already");
    putCap(type, cap.text, 0);
    if (isLocked) store("locked/" + type, "1");
    types().add(type);
  }
}

export function unlockTypes(args: Json): void {
  const names = args.find("token_types");
  if (names === null || names.kind != Kind.List) missing("token_types");
  for (let at = 0; at < names!.items.length; at++) forget("locked/" + names!.items[at].text);
}

/** Counts one more token of the type. A contract with types mints only tokens of those types. */
export function takeFromCap(type: string | null): void {
  if (type === null) {
    require(types().size == 0, "Token type must be one that was added");
    return;
  }
  const text = stored("cap/" + type);
  if (text === null) panic("Token type must be one that was added");
  const known = parseStored(text!);
  const cap = known.find("cap")!.text;
  const minted = <u32>U32.parseInt(known.find("minted")!.raw);
  require(new U128(<u64>minted).isLess(U128.parse(cap)!), "Cannot mint anymore of token type");
  putCap(type, cap, minted + 1);
}

export function writeTypes(): string {
  const names = types().page(0, u32.MAX_VALUE);
  const written: string[] = [];
  for (let at = 0; at < names.length; at++) {
    const cap = parseStored(stored("cap/" + names[at])!);
    const isLocked = stored("locked/" + names[at]) !== null;
    let text = '{"type":' + quote(names[at]) + ',"cap":' + cap.find("cap")!.raw;
    text += ',"minted":' + cap.find("minted")!.raw + ',"locked":' + (isLocked ? "true" : "false") + "}";
    written.push(text);
  }
  return "[" + written.join(",") + "]";
}
