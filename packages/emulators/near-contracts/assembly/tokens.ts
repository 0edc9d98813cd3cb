import { digest, logEvent, panic, require, store, stored } from "./host";
import { IndexedSet } from "./indexed-set";
import { Json, Kind, parseStored, quote } from "./json";
import { Shares } from "./shares";

/** A stored token. */
export class Token {
  constructor(
    public id: string,
    public owner: string,
    public type: string | null,
    /** Basis points of every sale, by recipient. */
    public royalties: Shares,
    /** Who may transfer it besides the owner, with the approval id. */
    public approvals: Shares,
    public nextApproval: u32,
    /** JSON as given. */
    public metadata: string,
  ) {}

  static find(id: string): Token | null {
    const text = stored("t/" + id);
    if (text === null) return null;
    const value = parseStored(text);
    const type = value.find("t");
    return new Token(
      id,
      value.find("o")!.text,
      type === null ? null : type.text,
      Shares.read(value.find("r"), ""),
      Shares.read(value.find("a"), ""),
      <u32>U32.parseInt(value.find("n")!.raw),
      rawOf(value, "m"),
    );
  }

  static get(id: string): Token {
    const token = Token.find(id);
    if (token === null) panic("Token not found");
    return token!;
  }

  put(): void {
    const type = this.type;
    let text = '{"o":' + quote(this.owner) + ',"t":' + (type === null ? "null" : quote(type));
    text += ',"r":' + this.royalties.write() + ',"a":' + this.approvals.write();
    text += ',"n":' + this.nextApproval.toString() + ',"m":' + this.metadata + "}";
    store("t/" + this.id, text);
  }

  /** Returns the JSON of NEP-171, NEP-177 and NEP-178. */
  write(): string {
    const type = this.type;
    let text = '{"token_id":' + quote(this.id) + ',"owner_id":' + quote(this.owner) + ',"metadata":' + this.metadata;
    text += ',"approved_account_ids":' + this.approvals.write() + ',"royalty":' + this.royalties.write();
    return text + ',"token_type":' + (type === null ? "null" : quote(type)) + "}";
  }

  giveTo(receiver: string): void {
    ownedBy(this.owner).take(this.id);
    ownedBy(receiver).add(this.id);
    this.owner = receiver;
    this.approvals = new Shares();
    this.put();
  }

  /** Tokens of a locked type stay with the account they were minted for. */
  requireUnlocked(): void {
    const type = this.type;
    require(type === null || stored("locked/" + type) === null, "Token transfers are locked");
  }
}

function rawOf(value: Json, name: string): string {
  const field = value.find(name);
  return field === null || field.kind != Kind.Object ? "{}" : field.raw;
}

export const ownedBy = (owner: string): IndexedSet => new IndexedSet("owner/" + owner);
// Type names are arbitrary: the digest cannot be mistaken for part of another key.
export const ofType = (type: string): IndexedSet => new IndexedSet("type/" + digest(type));
export const allTokens = (): IndexedSet => new IndexedSet("tokens");

export function addToken(token: Token): void {
  require(Token.find(token.id) === null, "Token already exists");
  token.put();
  allTokens().add(token.id);
  ownedBy(token.owner).add(token.id);
  const type = token.type;
  if (type !== null) ofType(type).add(token.id);
}

export function logMoved(sender: string, from: string, to: string, id: string, memo: string | null): void {
  let data = sender == from ? "{" : '{"authorized_id":' + quote(sender) + ",";
  data += '"old_owner_id":' + quote(from) + ',"new_owner_id":' + quote(to) + ',"token_ids":[' + quote(id) + "]";
  if (memo !== null) data += ',"memo":' + quote(memo);
  logEvent("nep171", "1.2.0", "nft_transfer", data + "}");
}

/** Transfers a token, if the sender may. The approval is -1 if none was given. */
export function moveToken(token: Token, sender: string, receiver: string, approval: i64, memo: string | null): void {
  const from = token.owner;
  if (sender != from) {
    const held = token.approvals.find(sender);
    require(held >= 0, "Sender not approved");
    require(approval < 0 || approval == held, "Approval id is not that of the sender");
  }
  require(receiver != from, "The token owner and the receiver should be different");
  token.requireUnlocked();
  token.giveTo(receiver);
  logMoved(sender, from, receiver, token.id, memo);
}

export function writeTokens(ids: string[]): string {
  const written: string[] = [];
  for (let at = 0; at < ids.length; at++) written.push(Token.get(ids[at]).write());
  return "[" + written.join(",") + "]";
}
