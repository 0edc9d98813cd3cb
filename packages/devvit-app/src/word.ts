import { isSigned, type Pairing } from './pairing.ts';

/** A change of one member. Roles are `flair:<id>` and `approved`. */
export interface Order {
  id: string;
  userName: string;
  add: string[];
  remove: string[];
}

export type ListPart = 'flair' | 'approved';

/** What the server asks for, after every check. */
export interface Word {
  sequence: number;
  orders: Order[];
  /** The members that the server wants to have listed. */
  list?: { round: string; parts: ListPart[] };
}

export interface Expected {
  pairing: Pairing;
  /** The subreddit that the app runs in. */
  subredditId: string;
  /** Of the call that this answers. */
  nonce: string;
  /** The sequence number of the last accepted word. */
  after: number;
  nowMs: number;
}

/** How far the clock of the server may be ahead. */
const mostSkewMs = 300_000;

/** Throws if the text is not a word of the paired server, for this subreddit, for this call, valid now and new. */
export function readWord(answer: unknown, expected: Expected): Word {
  const { message, signature } = fieldsOf(answer);
  if (typeof message !== 'string' || typeof signature !== 'string' || !isSigned(expected.pairing, message, signature))
    throw new Error('The response is not signed by the paired server.');
  const word = fieldsOf(JSON.parse(message));
  if (word.audience !== expected.subredditId || word.communityId !== expected.pairing.communityId)
    throw new Error('The response is for another subreddit.');
  if (word.inReplyTo !== expected.nonce) throw new Error('The response is for another call.');
  const { issuedTime, expiresTime, sequence } = word;
  if (typeof expiresTime !== 'number' || expiresTime <= expected.nowMs) throw new Error('The response has expired.');
  if (typeof issuedTime !== 'number' || issuedTime > expected.nowMs + mostSkewMs)
    throw new Error('The response is from the future.');
  if (typeof sequence !== 'number' || !Number.isSafeInteger(sequence) || sequence <= expected.after)
    throw new Error('The response was used before.');
  const list = word.list === undefined ? undefined : readList(fieldsOf(word.list));
  return { sequence, orders: listOf(word.orders).map(readOrder), ...(list && { list }) };
}

function readOrder(value: unknown): Order {
  const { id, userName, add, remove } = fieldsOf(value);
  return { id: textOf(id), userName: textOf(userName), add: textsOf(add), remove: textsOf(remove) };
}

function readList({ round, parts }: Record<string, unknown>): Word['list'] {
  return { round: textOf(round), parts: textsOf(parts).filter((part) => part === 'flair' || part === 'approved') };
}

function fieldsOf(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw new Error('The response has an unknown form.');
  return value as Record<string, unknown>;
}

function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new Error('The response has an unknown form.');
  return value;
}

function textOf(value: unknown): string {
  if (typeof value !== 'string' || value === '') throw new Error('The response has an unknown form.');
  return value;
}

function textsOf(value: unknown): string[] {
  return listOf(value).map(textOf);
}
