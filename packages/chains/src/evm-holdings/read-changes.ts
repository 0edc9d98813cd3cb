import type { HoldingChange } from '@latchkey/core/ports';
import { EndpointFault } from '../endpoints/index.ts';
import { normalizeEvmAddress } from '../evm/address.ts';
import { accountsOfLog, announcedTopics } from './announced-events.ts';
import { findSilence } from './log-bloom.ts';
import type { BlockHeader, EvmLog, Hex, NodeRpc } from './node-rpc.ts';
import { toCursor } from './walk-headers.ts';

const contractsPerQuery = 1_000;

/** Asks another node the same; undefined when none answers. */
export type SecondOpinion = <T>(question: (rpc: NodeRpc) => Promise<T>) => Promise<T | undefined>;

/** Whose holdings changed from a block up to the last of these headers, each account once a block. */
export async function readChanges(
  rpc: NodeRpc,
  contracts: readonly string[],
  from: bigint,
  headers: readonly BlockHeader[],
  askAnother?: SecondOpinion,
): Promise<HoldingChange[]> {
  const spelling = new Map(contracts.map((contract) => [contract.toLowerCase(), contract]));
  const changes = new Map<string, HoldingChange>();
  for (const log of await readAnnouncements(rpc, [...spelling.keys()], from, headers, askAnother)) {
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

async function readAnnouncements(
  rpc: NodeRpc,
  contracts: readonly string[],
  from: bigint,
  headers: readonly BlockHeader[],
  askAnother?: SecondOpinion,
): Promise<EvmLog[]> {
  const to = headers.at(-1);
  if (to === undefined) return [];
  // A node that does not have the block refuses its hash, where it would give no logs for its number.
  const range = from === to.number ? { blockHash: to.hash } : { fromBlock: from, toBlock: to.number };
  const logs: EvmLog[] = [];
  for (let at = 0; at < contracts.length; at += contractsPerQuery) {
    const address = contracts.slice(at, at + contractsPerQuery) as Hex[]; // Only addresses are announced.
    const found = await rpc.logs({ address, topics: [announcedTopics] }, range);
    // A transfer that a node keeps to itself is heard of by nobody, and what was read before it counts for a day.
    const silent = askAnother === undefined ? [] : findSilence(headers, address, found);
    if (silent.length > 0) {
      const asked = [...new Set(silent.map(({ contract }) => contract))];
      const others = await askAnother?.((node) => node.logs({ address: asked, topics: [announcedTopics] }, range));
      const isTold = new Set(others?.map((log) => `${log.address} ${log.blockNumber}`));
      if (silent.some(({ contract, number }) => isTold.has(`${contract} ${number}`)))
        throw new EndpointFault('left out logs that another node has');
    }
    logs.push(...found);
  }
  const hashOf = new Map(headers.map(({ number, hash }) => [number, hash]));
  const isForeign = logs.some(({ blockNumber, blockHash }) => (hashOf.get(blockNumber) ?? blockHash) !== blockHash);
  if (isForeign) throw new EndpointFault('changed its chain while it was asked');
  return logs;
}
