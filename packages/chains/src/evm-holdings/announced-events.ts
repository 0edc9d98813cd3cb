import { toAddress, wordsOf } from './decode-words.ts';
import { topicOf, transferBatchTopic, transferSingleTopic, transferTopic } from './events.ts';
import type { EvmLog, Hex } from './node-rpc.ts';
import { stakingAdapters } from './staking-adapters.ts';

// Wrapped coins come into being and vanish by these, without a transfer.
const wrappingTopics = ['Deposit(address,uint256)', 'Withdrawal(address,uint256)'].map(topicOf);
const stakingTopics = stakingAdapters.flatMap(({ events }) => events.map(topicOf));

/** Which topics of an event name accounts whose holding changed. */
const accountPlaces = new Map<Hex, readonly number[]>([
  [transferTopic, [1, 2]],
  [transferSingleTopic, [2, 3]],
  [transferBatchTopic, [2, 3]],
  ...[...wrappingTopics, ...stakingTopics].map((topic): [Hex, number[]] => [topic, [1]]),
]);

/** Enough for every event here with a word too many; what follows is not looked at. */
const mostWords = 8;

export const announcedTopics: readonly Hex[] = [...accountPlaces.keys()];

/** How many words an event has, in its topics and data together, where that is fixed. */
const wordCounts = new Map<Hex, number>([
  [transferTopic, 3],
  [transferSingleTopic, 5],
]);

/**
 * The accounts whose holding of the contract may have changed by a log. One of an unusual form may name them anywhere, so
 * all that could be an account counts: reading too many again is harmless, missing one is not.
 */
export function accountsOfLog({ topics: [event, ...fields], data }: EvmLog): Hex[] {
  const places = event === undefined ? undefined : accountPlaces.get(event);
  if (event === undefined || places === undefined) return [];
  // Some old collections put the accounts into the data instead.
  const words = [...fields.map((topic) => topic.slice(2)), ...wordsOf(data.slice(2))];
  const named = places.map((place) => toAddress(words[place - 1] ?? ''));
  const isUsual = !named.includes(undefined) && words.length === (wordCounts.get(event) ?? words.length);
  const accounts = isUsual ? named : words.slice(0, mostWords).map(toAddress);
  return [...new Set(accounts.flatMap((account) => account ?? []))].filter((account) => BigInt(account) !== 0n);
}
