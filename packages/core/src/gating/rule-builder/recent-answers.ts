import { LRUCache } from 'lru-cache';
import type { ContractAnswer, TokenMetadataReader } from '../../ports/index.ts';

const contractMs = 60_000;
const platformMs = 10_000;

const contracts = new WeakMap<TokenMetadataReader, LRUCache<string, ContractAnswer>>();

/**
 * Reads contracts, and those that were read a moment ago from memory: a draft is described at every pause in typing. What
 * could not be read is asked again.
 */
export function rememberContracts(reader: TokenMetadataReader): TokenMetadataReader {
  const known = contracts.get(reader) ?? new LRUCache<string, ContractAnswer>({ max: 2_000, ttl: contractMs });
  contracts.set(reader, known);
  return {
    reads: (chain) => reader.reads(chain),
    read: async (chain, wanted, signal) => {
      const keyOf = (contract: string) => `${chain}/${contract.toLowerCase()}`;
      const missing = wanted.filter((contract) => !known.has(keyOf(contract)));
      const answers = missing.length === 0 ? [] : await reader.read(chain, missing, signal);
      const fresh = new Map(missing.map((contract, index) => [keyOf(contract), answers[index]]));
      for (const [key, answer] of fresh) if (answer?.kind === 'read') known.set(key, answer);
      return wanted.map((contract): ContractAnswer => {
        const answer = known.get(keyOf(contract)) ?? fresh.get(keyOf(contract));
        return answer ?? { kind: 'unknown', reason: 'The chain did not answer.' };
      });
    },
    readCollection: (chain, contract, options) => reader.readCollection(chain, contract, options),
    readControl: (chain, contract, accounts, signal) => reader.readControl(chain, contract, accounts, signal),
  };
}

/**
 * Keeps what a platform answered for a moment, by the community: chat platforms limit how often they are asked. What is not
 * worth keeping is asked for again.
 */
export function rememberBriefly<Answer extends object>(
  isWorthKeeping: (answer: Answer) => boolean,
): (owner: object, key: string, ask: () => Promise<Answer>) => Promise<Answer> {
  const kept = new WeakMap<object, LRUCache<string, Answer>>();
  return async (owner, key, ask) => {
    const known = kept.get(owner) ?? new LRUCache<string, Answer>({ max: 1_000, ttl: platformMs });
    kept.set(owner, known);
    const present = known.get(key);
    if (present !== undefined) return present;
    const answer = await ask();
    if (isWorthKeeping(answer)) known.set(key, answer);
    return answer;
  };
}
