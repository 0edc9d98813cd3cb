import { inputText, panic, require } from "./host";
import { Json, Kind, parseJson } from "./json";
import { U128 } from "./u128";

/** The arguments of a call: a JSON object, or nothing. */
export function readArgs(): Json {
  const text = inputText();
  const value = parseJson(text.length == 0 ? "{}" : text);
  if (value === null || value.kind != Kind.Object) panic("Failed to deserialize input from JSON.");
  return value!;
}

export function missing(name: string): void {
  panic("missing field `" + name + "`");
}

export function optionalText(args: Json, name: string): string | null {
  const value = args.find(name);
  if (value === null) return null;
  if (value.kind != Kind.Text) missing(name);
  return value.text;
}

export function textArg(args: Json, name: string): string {
  const value = optionalText(args, name);
  if (value === null) missing(name);
  return value!;
}

/** Whether this is a valid account id of the protocol. */
export function isAccount(name: string): bool {
  if (name.length < 2 || name.length > 64) return false;
  let isLetterBefore = false;
  for (let at = 0; at < name.length; at++) {
    const letter = name.charCodeAt(at);
    const isLetter = (letter >= 97 && letter <= 122) || (letter >= 48 && letter <= 57);
    if (!isLetter && (!isLetterBefore || (letter != 45 && letter != 46 && letter != 95))) return false;
    isLetterBefore = isLetter;
  }
  return isLetterBefore;
}

export function accountArg(args: Json, name: string): string {
  const account = textArg(args, name);
  require(isAccount(account), "invalid account in `" + name + "`");
  return account;
}

export function optionalAccount(args: Json, name: string): string | null {
  return args.find(name) === null ? null : accountArg(args, name);
}

export function amountOf(text: string, what: string): U128 {
  const amount = U128.parse(text);
  if (amount === null) panic(what);
  return amount!;
}

export function amountArg(args: Json, name: string): U128 {
  return amountOf(textArg(args, name), "invalid amount in `" + name + "`");
}

/** An integer below 2^32, as a number or string; -1 if absent. */
export function numberArg(args: Json, name: string): i64 {
  const value = args.find(name);
  if (value === null) return -1;
  const digits = value.kind == Kind.Text ? value.text : value.raw;
  const number = value.kind == Kind.Text || value.kind == Kind.Number ? U128.parse(digits) : null;
  if (number === null || number.hi != 0 || number.lo > 0xffffffff) panic("invalid number in `" + name + "`");
  return <i64>number!.lo;
}

const usualPage = 50;

export class Page {
  from: u32;
  limit: u32;
  /** The offset and limit of enumerations. */
  constructor(args: Json) {
    const from = numberArg(args, "from_index");
    const limit = numberArg(args, "limit");
    this.from = from < 0 ? 0 : <u32>from;
    this.limit = limit < 0 ? usualPage : <u32>limit;
  }
}

export function isTrue(args: Json, name: string): bool {
  const value = args.find(name);
  return value !== null && value.kind == Kind.True;
}
