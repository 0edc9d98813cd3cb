import type { HoldingChange } from '@latchkey/core/ports';
import { EndpointFault, EndpointRefusal } from '../endpoints/index.ts';
import { normalizeEvmAddress } from '../evm/address.ts';
import { accountsOfLog, announcedTopics } from './announced-events.ts';
import { findSilence, mayAnnounce } from './log-bloom.ts';
import type { BlockHeader, EvmLog, Hex, NodeRpc } from './node-rpc.ts';
import { toCursor } from './walk-headers.ts';

const contractsPerQuery = 1_000;

/** Asks another node the same; undefined when none answers. */
export type SecondOpinion = <T>(question: (rpc: NodeRpc) => Promise<T>) => Promise<T | undefined>;

/** A stretch of blocks: all their headers, or after a long absence only the last one. */
export interface Stretch {
  from: bigint;
  headers: readonly BlockHeader[];
  /** Whether the node is asked about all contracts there are, which takes one question for any number. */
  asksAboutAll: boolean;
}

/** Whether these contracts are more than one question has room for. */
export function areMany(contracts: readonly string[]): boolean {
  return contracts.length > contractsPerQuery;
}

/** Whose holdings changed from a block up to the last of these headers, each account once a block. */
export async function readChanges(
  rpc: NodeRpc,
  contracts: readonly string[],
  stretch: Stretch,
  askAnother?: SecondOpinion,
): Promise<HoldingChange[]> {
  const spelling = spellingOf(contracts);
  const changes = new Map<string, HoldingChange>();
  for (const log of await readAnnouncements(rpc, spelling, stretch, askAnother)) {
    const contract = spelling.get(log.address);
    if (contract === undefined) continue;
    const block = toCursor({ number: log.blockNumber, hash: log.blockHash });
    for (const account of accountsOfLog(log)) {
      const change = { contract, account: normalizeEvmAddress(account) ?? account, block };
      changes.set(`${contract} ${account} ${log.blockHash}`, change);
    }
  }
  return [...changes.values()];
}

type Spelling = ReadonlyMap<string, string>;

// The list is the same one from block to block, and may have a hundred thousand contracts.
const spellings = new WeakMap<readonly string[], Spelling>();

function spellingOf(contracts: readonly string[]): Spelling {
  const known = spellings.get(contracts);
  if (known !== undefined) return known;
  const spelling = new Map(contracts.map((contract) => [contract.toLowerCase(), contract]));
  spellings.set(contracts, spelling);
  return spelling;
}

async function readAnnouncements(
  rpc: NodeRpc,
  contracts: Spelling,
  stretch: Stretch,
  askAnother: SecondOpinion | undefined,
): Promise<EvmLog[]> {
  const logs = await readLogs(rpc, contracts, stretch, askAnother);
  const hashOf = new Map(stretch.headers.map(({ number, hash }) => [number, hash]));
  const isForeign = logs.some(({ blockNumber, blockHash }) => (hashOf.get(blockNumber) ?? blockHash) !== blockHash);
  if (isForeign) throw new EndpointFault('changed its chain while it was asked');
  return logs;
}

async function readLogs(
  rpc: NodeRpc,
  contracts: Spelling,
  stretch: Stretch,
  askAnother: SecondOpinion | undefined,
): Promise<EvmLog[]> {
  const { from, headers, asksAboutAll } = stretch;
  const to = headers.at(-1);
  if (to === undefined) return [];
  // A node that does not have the block refuses its hash, where it would give no logs for its number.
  const range = from === to.number ? { blockHash: to.hash } : { fromBlock: from, toBlock: to.number };
  if (asksAboutAll)
    try {
      return await readLogsOfAll(rpc, contracts, { headers, range }, askAnother);
    } catch (error) {
      // A single block with more logs than the node wants to tell is asked about by contract.
      if (!(error instanceof EndpointRefusal) || from !== to.number) throw error;
    }
  const addresses = [...contracts.keys()] as Hex[]; // Only addresses are announced.
  const logs: EvmLog[] = [];
  for (let at = 0; at < addresses.length; at += contractsPerQuery) {
    const address = addresses.slice(at, at + contractsPerQuery);
    const found = await rpc.logs({ address, topics: [announcedTopics] }, range);
    // A transfer that a node keeps to itself is heard of by nobody, and what was read before it counts for a day.
    const silent = askAnother === undefined ? [] : findSilence(headers, address, found);
    if (silent.length > 0) {
      const asked = [...new Set(silent.map(({ contract }) => contract))];
      const others = await askAnother?.((node) => node.logs({ address: asked, topics: [announcedTopics] }, range));
      const isTold = new Set(others?.map(placeOf));
      if (silent.some(({ contract, number }) => isTold.has(`${contract} ${number}`))) throw leftOut();
    }
    logs.push(...found);
  }
  return logs;
}

/** The announcements of all contracts there are, of which those that are followed count: one question for any number. */
async function readLogsOfAll(
  rpc: NodeRpc,
  contracts: Spelling,
  { headers, range }: { headers: readonly BlockHeader[]; range: Parameters<NodeRpc['logs']>[1] },
  askAnother: SecondOpinion | undefined,
): Promise<EvmLog[]> {
  const ask = async (node: NodeRpc) =>
    (await node.logs({ topics: [announcedTopics] }, range)).filter(({ address }) => contracts.has(address));
  const found = await ask(rpc);
  if (askAnother === undefined || !mayAnnounce(headers)) return found;
  const told = new Set(found.map(placeOf));
  const others = await askAnother(ask);
  if (others?.some((log) => !told.has(placeOf(log)))) throw leftOut();
  return found;
}

const placeOf = ({ address, blockNumber }: EvmLog) => `${address} ${blockNumber}`;
const leftOut = () => new EndpointFault('left out logs that another node has');
