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

export const announcedTopics: readonly Hex[] = [...accountPlaces.keys()];

/** The accounts whose holding of the contract may have changed by a log. */
export function accountsOfLog({ topics: [event, ...fields], data }: EvmLog): Hex[] {
  const places = event === undefined ? undefined : accountPlaces.get(event);
  // Some old collections put the accounts into the data instead.
  const words = [...fields.map((topic) => topic.slice(2)), ...wordsOf(data.slice(2))];
  const accounts = (places ?? []).flatMap((place) => toAddress(words[place - 1] ?? '') ?? []);
  return accounts.filter((account) => BigInt(account) !== 0n);
}
