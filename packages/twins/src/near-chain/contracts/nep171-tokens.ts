import { logEvent, panic, type ReadStorage, require, type Storage } from './contract.ts';
import { addToSet, readSet, takeFromSet } from './indexed-set.ts';

export const nftStandard = ['nep171', '1.2.0'] as const;

export interface StoredToken {
  owner: string;
  type: string | undefined;
  /** Basis points of every sale, by who gets them. */
  royalties: Readonly<Record<string, number>>;
  /** Who may transfer it besides the owner, and by which approval. */
  approvals: Readonly<Record<string, number>>;
  nextApprovalId: number;
  metadata: unknown;
}

const tokenKey = (id: string) => `token/${id}`;
export const ownerSet = (owner: string) => `owner/${owner}`;
export const typeSet = (type: string) => `type/${type}`;
export const allTokens = 'tokens';

export function findToken(storage: ReadStorage, id: string): StoredToken | undefined {
  return storage.get<StoredToken>(tokenKey(id));
}

export function getToken(storage: ReadStorage, id: string): StoredToken {
  return findToken(storage, id) ?? panic('Token not found');
}

export function putToken(storage: Storage, id: string, token: StoredToken): void {
  storage.set(tokenKey(id), token);
}

/** A token as NEP-171 and NEP-178 write it. */
export function describeToken(storage: ReadStorage, id: string): unknown {
  const token = findToken(storage, id);
  if (token === undefined) return null;
  return {
    token_id: id,
    owner_id: token.owner,
    metadata: token.metadata,
    approved_account_ids: token.approvals,
    royalty: token.royalties,
    token_type: token.type ?? null,
  };
}

export function addToken(storage: Storage, id: string, token: StoredToken): void {
  require(findToken(storage, id) === undefined, 'Token already exists');
  putToken(storage, id, token);
  addToSet(storage, allTokens, id);
  addToSet(storage, ownerSet(token.owner), id);
  if (token.type !== undefined) addToSet(storage, typeSet(token.type), id);
}

export interface Transfer {
  tokenId: string;
  sender: string;
  receiver: string;
  approvalId: number | undefined;
  memo: string | undefined;
}

interface Host {
  storage: Storage;
  log(line: string): void;
}

/** Hands a token over, if the sender may, and answers with what it was before. */
export function transferToken(host: Host, { tokenId, sender, receiver, approvalId, memo }: Transfer): StoredToken {
  const { storage } = host;
  const token = getToken(storage, tokenId);
  const isOwner = sender === token.owner;
  if (!isOwner) {
    const held = token.approvals[sender];
    require(held !== undefined, 'Sender not approved');
    require(approvalId === undefined || approvalId === held, 'Approval id is not that of the sender');
  }
  require(receiver !== token.owner, 'The token owner and the receiver should be different');
  requireUnlocked(storage, token);
  giveTo(storage, tokenId, receiver);
  logEvent(host, nftStandard, 'nft_transfer', [
    {
      ...(!isOwner && { authorized_id: sender }),
      old_owner_id: token.owner,
      new_owner_id: receiver,
      token_ids: [tokenId],
      ...(memo !== undefined && { memo }),
    },
  ]);
  return token;
}

/** Tokens of a locked type stay with whom they were minted for. */
export function requireUnlocked(storage: ReadStorage, { type }: StoredToken): void {
  require(type === undefined || storage.get(`locked/${type}`) === undefined, 'Token transfers are locked');
}

export function giveTo(storage: Storage, tokenId: string, receiver: string): void {
  const token = getToken(storage, tokenId);
  takeFromSet(storage, ownerSet(token.owner), tokenId);
  addToSet(storage, ownerSet(receiver), tokenId);
  putToken(storage, tokenId, { ...token, owner: receiver, approvals: {} });
}

export function listTokens(storage: ReadStorage, set: string, from: number, limit: number): unknown[] {
  return readSet(storage, set)
    .page(from, limit)
    .map((id) => describeToken(storage, id));
}
