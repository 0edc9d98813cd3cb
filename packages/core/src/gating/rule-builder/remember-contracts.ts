import { LRUCache } from 'lru-cache';
import type { CodeAnswer, ContractAnswer, ContractProbe, ProbeAnswer, TokenMetadataReader } from '../../ports/index.ts';

const contractMs = 60_000;

const contracts = new WeakMap<TokenMetadataReader, LRUCache<string, ContractAnswer>>();
const codes = new WeakMap<TokenMetadataReader, LRUCache<string, CodeAnswer>>();
const probes = new WeakMap<TokenMetadataReader, LRUCache<string, ProbeAnswer>>();

/**
 * Reads contracts, and those that were read a moment ago from memory: a draft is described at every pause in typing. What
 * could not be read, and what is not there yet, is asked again.
 */
export function rememberContracts(reader: TokenMetadataReader): TokenMetadataReader {
  return {
    ...reader,
    reads: (chain) => reader.reads(chain),
    read: remembering(
      contracts,
      reader,
      (chain, wanted, signal) => reader.read(chain, wanted, signal),
      (answer) => answer.kind === 'read' && answer.metadata.standard !== undefined,
    ),
    readCode: remembering(
      codes,
      reader,
      (chain, wanted, signal) => reader.readCode(chain, wanted, signal),
      (answer) => answer.kind === 'read' && answer.hasCode,
    ),
    probe: remembering(
      probes,
      reader,
      (chain, wanted: readonly ContractProbe[], signal) => reader.probe(chain, wanted, signal),
      (answer) => answer.kind === 'read' && answer.isAnswered,
    ),
  };
}

type Read<Wanted, Given> = (
  chain: string,
  wanted: readonly Wanted[],
  signal?: AbortSignal,
) => Promise<readonly Given[]>;
type Unknown = { kind: 'unknown'; reason: string };

function remembering<Wanted extends string | ContractProbe, Given extends { kind: 'read' } | Unknown>(
  memory: WeakMap<TokenMetadataReader, LRUCache<string, Given>>,
  reader: TokenMetadataReader,
  read: Read<Wanted, Given>,
  isLasting: (answer: Given) => boolean,
): Read<Wanted, Given | Unknown> {
  const known = memory.get(reader) ?? new LRUCache<string, Given>({ max: 2_000, ttl: contractMs });
  memory.set(reader, known);
  return async (chain, wanted, signal) => {
    const keyOf = (one: Wanted) => `${chain}/${typeof one === 'string' ? one.toLowerCase() : JSON.stringify(one)}`;
    const missing = wanted.filter((contract) => !known.has(keyOf(contract)));
    const answers = missing.length === 0 ? [] : await read(chain, missing, signal);
    const fresh = new Map(missing.map((contract, index) => [keyOf(contract), answers[index]]));
    for (const [key, answer] of fresh) if (answer !== undefined && isLasting(answer)) known.set(key, answer);
    return wanted.map((contract): Given | Unknown => {
      const answer = known.get(keyOf(contract)) ?? fresh.get(keyOf(contract));
      return answer ?? { kind: 'unknown', reason: 'The chain did not respond.' };
    });
  };
}
