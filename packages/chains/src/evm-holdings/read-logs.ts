import { EndpointsFailed } from '../endpoints/index.ts';
import type { ChainView } from './chain-view.ts';
import type { EvmLog, Hex, LogFilter } from './node-rpc.ts';
import { Unreadable } from './unreadable.ts';

/** Reads all matching logs from a block up to the view's block, oldest first. Throws `Unreadable` if it takes too many calls. */
export async function readLogs(view: ChainView, filter: LogFilter, fromBlock: bigint): Promise<EvmLog[]> {
  const { chain, block } = view;
  const logs: EvmLog[] = [];
  let callsLeft = chain.maxLogCalls;
  for (let from = fromBlock; from <= block.number; ) {
    if (callsLeft <= 0) {
      throw new Unreadable(`Reading ${block.number - fromBlock} blocks of ${chain.name} history takes too many calls.`);
    }
    callsLeft -= 1;
    const span = chain.logBlocks ?? block.number - from + 1n;
    const to = from + span - 1n < block.number ? from + span - 1n : block.number;
    const found = await readRange(view, filter, from, to);
    if (found === 'too much') {
      if (to === from) throw new Unreadable(`A block of ${chain.name} has more logs than its nodes return.`);
      chain.logBlocks = (to - from + 1n) / 2n;
    } else {
      logs.push(...found);
      from = to + 1n;
    }
  }
  return logs.sort(compareLogs);
}

async function readRange(
  { chain, quorum, signal }: ChainView,
  filter: LogFilter,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<EvmLog[] | 'too much'> {
  try {
    const answers = await chain.pool.collect(
      (endpoint, abort) => chain.rpc(endpoint, abort).logs(filter, { fromBlock, toBlock }),
      { want: quorum, kind: 'logs', block: toBlock, signal },
    );
    const [first = [], ...others] = answers.map(({ value }) => value.sort(compareLogs));
    const text = describeLogs(first);
    if (others.every((other) => describeLogs(other) === text)) return first;
    throw new Unreadable(`The ${chain.name} endpoints disagree on its logs.`);
  } catch (error) {
    if (error instanceof EndpointsFailed && error.isRefused) return 'too much';
    throw error;
  }
}

export function compareLogs(one: EvmLog, other: EvmLog): number {
  if (one.blockNumber !== other.blockNumber) return one.blockNumber < other.blockNumber ? -1 : 1;
  return one.logIndex < other.logIndex ? -1 : 1;
}

function describeLogs(logs: readonly EvmLog[]): string {
  return logs.map(({ blockHash, logIndex, topics, data }) => [blockHash, logIndex, ...topics, data].join()).join('\n');
}

export interface AccountLogs {
  contract: Hex;
  /** The topics of the events. */
  events: readonly Hex[];
  /** Which topic contains the account: 1, 2 or 3. */
  place: number;
  account: Hex;
  fromBlock: bigint;
}

interface Waiting {
  query: AccountLogs;
  resolve(logs: EvmLog[]): void;
  reject(error: unknown): void;
}

const accountsPerSearch = 500;

/** Searches logs for many accounts at once: concurrent queries share a call. */
export function createLogSearch(view: ChainView): (query: AccountLogs) => Promise<EvmLog[]> {
  let waiting: Waiting[] = [];
  const search = async (group: readonly Waiting[]) => {
    const [first] = group;
    if (first === undefined) return;
    const { contract, events, place, fromBlock } = first.query;
    try {
      const accounts = [...new Set(group.map(({ query }) => toTopic(query.account)))];
      const between = Array.from({ length: place - 1 }, () => null);
      const filter = { address: contract, topics: [events, ...between, accounts] };
      const byAccount = Map.groupBy(await readLogs(view, filter, fromBlock), ({ topics }) => topics[place]);
      for (const { query, resolve } of group) resolve(byAccount.get(toTopic(query.account)) ?? []);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  };
  const flush = async () => {
    const groups = Map.groupBy(waiting, ({ query }) =>
      [query.contract, query.events, query.place, query.fromBlock].join(),
    );
    waiting = [];
    for (const group of groups.values()) {
      for (let from = 0; from < group.length; from += accountsPerSearch) {
        await search(group.slice(from, from + accountsPerSearch));
      }
    }
  };
  return (query) => {
    if (waiting.length === 0) setImmediate(flush);
    return new Promise((resolve, reject) => void waiting.push({ query, resolve, reject }));
  };
}

export function toTopic(address: Hex): Hex {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`;
}
