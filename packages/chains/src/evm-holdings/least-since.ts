import { matchesTokenIds } from '@latchkey/kernel';
import { remember } from './chain-view.ts';
import { toNumber, wordsOf } from './decode-words.ts';
import { transferBatchTopic, transferSingleTopic, transferTopic } from './events.ts';
import { findBlockAt } from './find-block.ts';
import type { EvmLog, Hex } from './node-rpc.ts';
import { compareLogs, toTopic } from './read-logs.ts';
import { contractOf, type Holding, type Reading, readDecimals, type Standard, toWhole } from './reading.ts';
import { movedTokens } from './standards/erc1155.ts';
import { Unreadable } from './unreadable.ts';

interface Movements {
  events: readonly Hex[];
  /** The topic that holds the sender; the receiver is the one after it. */
  senderPlace: number;
  /** How much of what the question is about a transfer moved. */
  moved(log: EvmLog, reading: Reading): bigint;
}

const movementsOf: Readonly<Record<string, Movements>> = {
  erc20: {
    events: [transferTopic],
    senderPlace: 1,
    moved: ({ data }) => toNumber(wordsOf(data.slice(2))[0] ?? '0'),
  },
  erc721: {
    events: [transferTopic],
    senderPlace: 1,
    moved: ({ topics: [, , , id] }, { ids }) => {
      if (id === undefined) throw new Unreadable('The contract does not say which tokens it moves.');
      return ids === undefined || matchesTokenIds(ids, BigInt(id).toString()) ? 1n : 0n;
    },
  },
  erc1155: {
    events: [transferSingleTopic, transferBatchTopic],
    senderPlace: 2,
    moved: (log, { ids }) =>
      movedTokens(log)
        .filter(([id]) => ids === undefined || matchesTokenIds(ids, id.toString()))
        .reduce((sum, [, amount]) => sum + amount, 0n),
  },
};

/**
 * The least amount held at the end of any block since a time: the amount now, with every transfer since then undone one after
 * the other. What left and came back within a block was never gone.
 */
export async function readLeast(reading: Reading, standard: string, read: Standard, since: string): Promise<Holding> {
  const { view, account } = reading;
  const movements = movementsOf[standard];
  const sinceMs = Date.parse(since);
  if (movements === undefined) throw new Unreadable(`The least amount over a time cannot be read for ${standard}.`);
  if (Number.isNaN(sinceMs)) throw new Unreadable('The time since when it must be held cannot be read.');
  const seconds = BigInt(Math.floor(sinceMs / 1000));
  const key = `block at ${seconds} before ${view.block.hash}`;
  const start = await remember(view.chain.constants, key, () => findBlockAt(view, seconds));
  const contract = contractOf(reading);
  const query = { contract, events: movements.events, account, fromBlock: start + 1n };
  const [now, decimals, out, into] = await Promise.all([
    read(reading),
    standard === 'erc20' ? readDecimals(reading, contract) : 0,
    reading.searchLogs({ ...query, place: movements.senderPlace }),
    reading.searchLogs({ ...query, place: movements.senderPlace + 1 }),
  ]);
  const logs = [...out, ...into.filter(({ topics }) => topics[movements.senderPlace] !== toTopic(account))];
  return { amount: toWhole(leastOf(toUnits(now.amount, decimals), logs, reading, movements), decimals) };
}

function leastOf(now: bigint, logs: EvmLog[], reading: Reading, { moved, senderPlace }: Movements): bigint {
  const self = toTopic(reading.account);
  let held = now;
  let least = now;
  let block: bigint | undefined;
  for (const log of logs.sort(compareLogs).reverse()) {
    if (log.blockNumber !== block && held < least) least = held;
    block = log.blockNumber;
    const isOut = log.topics[senderPlace] === self;
    const isBack = log.topics[senderPlace + 1] === self;
    if (isOut !== isBack) held += isOut ? moved(log, reading) : -moved(log, reading);
  }
  if (held < 0n) throw new Unreadable('The logs of the contract do not tell everything that moved.');
  return held < least ? held : least;
}

function toUnits(amount: string, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(decimals, '0'));
}
