import type { HeldToken, Question } from '@latchkey/core/ports';
import type { TokenIdSet } from '@latchkey/kernel';
import { formatUnits } from 'viem/utils';
import type { CallResult } from './ask-chunk.ts';
import { type ChainView, remember } from './chain-view.ts';
import { toNumber, wordsOf } from './decode-words.ts';
import { addressWord, word } from './encode-calls.ts';
import { selectorOf } from './events.ts';
import type { EvmLog, Hex } from './node-rpc.ts';
import type { AccountLogs } from './read-logs.ts';
import { ContractRefused, ContractReverted, Unreadable } from './unreadable.ts';

/** One question, ready to be read at one block. */
export interface Reading {
  view: ChainView;
  question: Question;
  account: Hex;
  ids: TokenIdSet | undefined;
  searchLogs(query: AccountLogs): Promise<EvmLog[]>;
  describe: DescribeToken;
}

/** Adds the metadata to a token, and omits it if it could not be read. */
export type DescribeToken = (reading: Reading, token: HeldToken, uriFunction: string) => Promise<HeldToken>;

export interface Holding {
  amount: string;
  tokens?: readonly HeldToken[];
}

/** Reads holdings of one standard. Throws `Unreadable` if the answer is unknown. */
export type Standard = (reading: Reading) => Promise<Holding>;

export function toHexAddress(text: string): Hex | undefined {
  // The pattern guarantees the type.
  return /^0x[0-9a-fA-F]{40}$/.test(text) ? (text.toLowerCase() as Hex) : undefined;
}

export function contractOf({ question }: Pick<Reading, 'question'>): Hex {
  const contract = toHexAddress(question.reference);
  if (contract === undefined) throw new Unreadable('The contract is not an address of this chain.');
  return contract;
}

/** Encodes a call whose arguments are addresses and numbers. */
export function callData(signature: string, ...args: (Hex | bigint)[]): Hex {
  const words = args.map((arg) => (typeof arg === 'bigint' ? word(arg) : addressWord(arg)));
  return `${knownSelector(signature)}${words.join('')}`;
}

const selectors = new Map<string, Hex>();

function knownSelector(signature: string): Hex {
  const known = selectors.get(signature) ?? selectorOf(signature);
  selectors.set(signature, known);
  return known;
}

/** Returns a contract's response as words; undefined if it reverted or does not have the function. */
export async function tryWords(view: ChainView, to: Hex, data: Hex): Promise<string[] | undefined> {
  const result = await view.call(to, data);
  if ('reason' in result) throw new Unreadable(result.reason);
  return result.isReturned && result.data.length >= 64 ? wordsOf(result.data) : undefined;
}

/** Returns a contract's response as words, and throws if there is none. */
export async function readWords(view: ChainView, to: Hex, data: Hex, what: string): Promise<string[]> {
  return wordsOf(digitsOf(await view.call(to, data), to, what));
}

export async function readNumber(view: ChainView, to: Hex, data: Hex, what: string): Promise<bigint> {
  return toNumber(digitsOf(await view.call(to, data), to, what).slice(0, 64));
}

function digitsOf(result: CallResult, to: Hex, what: string): string {
  if ('reason' in result) throw new Unreadable(result.reason);
  if (result.isReturned && result.data.length >= 64) return result.data;
  if (result.isReturned && result.data === '') throw new ContractRefused(`No contract at ${to} responds to ${what}.`);
  const message = `The contract ${to} refused to answer ${what}.`;
  throw !result.isReturned && result.data !== '' ? new ContractReverted(message) : new ContractRefused(message);
}

/**
 * Returns the decimals of a token. They never change, so they are cached. Undefined if the token does not report them; that is not cached,
 * because a contract may be deployed at the address later.
 */
export async function findDecimals(view: ChainView, token: Hex): Promise<number | undefined> {
  const key = `${view.quorum} decimals ${token}`;
  const found = await remember(view.chain.constants, key, async () => {
    const words = await tryWords(view, token, callData('decimals()'));
    const decimals = words && toNumber(words[0] ?? '');
    return decimals !== undefined && decimals <= 77n ? Number(decimals) : undefined;
  });
  if (found === undefined) view.chain.constants.delete(key);
  return found;
}

export async function readDecimals({ view, question }: Reading, token: Hex): Promise<number> {
  const given = question.details?.decimals;
  if (given !== undefined && /^\d{1,2}$/.test(given)) return Number(given);
  const decimals = await findDecimals(view, token);
  if (decimals === undefined) throw new ContractRefused(`The token ${token} does not report its decimals.`);
  return decimals;
}

/** Formats smallest units as an exact decimal of whole tokens. */
export function toWhole(units: bigint, decimals: number): string {
  return formatUnits(units, decimals);
}
