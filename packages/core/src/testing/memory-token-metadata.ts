import type { CollectionAnswer, ContractAnswer, TokenMetadataReader } from '../ports/index.ts';

/** What tokens say of themselves, in memory. What was never set is a contract that says nothing. */
export interface MemoryTokenMetadata extends TokenMetadataReader {
  /** Every contract that was asked for, in order. */
  asked: string[];
  set(chain: string, contract: string, answer: ContractAnswer): void;
  setCollection(chain: string, contract: string, answer: CollectionAnswer): void;
  /** Chains that cannot be read from now on. */
  unread: Set<string>;
}

export function memoryTokenMetadata(): MemoryTokenMetadata {
  const contracts = new Map<string, ContractAnswer>();
  const collections = new Map<string, CollectionAnswer>();
  const keyOf = (chain: string, contract: string) => `${chain}/${contract.toLowerCase()}`;
  const reader: MemoryTokenMetadata = {
    asked: [],
    unread: new Set(),
    set: (chain, contract, answer) => void contracts.set(keyOf(chain, contract), answer),
    setCollection: (chain, contract, answer) => void collections.set(keyOf(chain, contract), answer),
    reads: (chain) => !reader.unread.has(chain),
    read: async (chain, addresses) => {
      reader.asked.push(...addresses.map((address) => keyOf(chain, address)));
      return addresses.map((address) => contracts.get(keyOf(chain, address)) ?? { kind: 'read', metadata: {} });
    },
    readCollection: async (chain, address) => {
      reader.asked.push(keyOf(chain, address));
      return collections.get(keyOf(chain, address)) ?? { kind: 'none' };
    },
  };
  return reader;
}
