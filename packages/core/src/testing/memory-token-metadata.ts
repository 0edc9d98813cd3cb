import type {
  CodeAnswer,
  CollectionAnswer,
  ContractAnswer,
  ContractProbe,
  ControlAnswer,
  ProbeAnswer,
  TokenMetadataReader,
} from '../ports/index.ts';

/** Token metadata, in memory. An unknown contract has none. */
export interface MemoryTokenMetadata extends TokenMetadataReader {
  /** Every contract that was asked for, in order. */
  requests: string[];
  set(chain: string, contract: string, answer: ContractAnswer): void;
  /** Says whether there is code at an address, which is unknown unless set. */
  setCode(chain: string, contract: string, answer: boolean | CodeAnswer): void;
  /** Says whether a contract answers what a condition reads from it, which it does unless set. */
  setProbe(chain: string, contract: string, answer: boolean | ProbeAnswer): void;
  setCollection(chain: string, contract: string, answer: CollectionAnswer): void;
  /** Sets the account that controls a contract, or other chain results; none unless set. */
  setControl(chain: string, contract: string, control: string | ControlAnswer): void;
  /** Chains that cannot be read from now on. */
  unread: Set<string>;
}

export function memoryTokenMetadata(): MemoryTokenMetadata {
  const contracts = new Map<string, ContractAnswer>();
  const codes = new Map<string, CodeAnswer>();
  const probes = new Map<string, ProbeAnswer>();
  const collections = new Map<string, CollectionAnswer>();
  const controls = new Map<string, string | ControlAnswer>();
  const keyOf = (chain: string, contract: string) => `${chain}/${contract.toLowerCase()}`;
  const reader: MemoryTokenMetadata = {
    requests: [],
    unread: new Set(),
    set: (chain, contract, answer) => void contracts.set(keyOf(chain, contract), answer),
    setCode: (chain, contract, code) =>
      void codes.set(keyOf(chain, contract), typeof code === 'boolean' ? { kind: 'read', hasCode: code } : code),
    setProbe: (chain, contract, probe) =>
      void probes.set(keyOf(chain, contract), typeof probe === 'boolean' ? { kind: 'read', isAnswered: probe } : probe),
    setCollection: (chain, contract, answer) => void collections.set(keyOf(chain, contract), answer),
    setControl: (chain, contract, control) => void controls.set(keyOf(chain, contract), control),
    reads: (chain) => !reader.unread.has(chain),
    read: async (chain, addresses) => {
      reader.requests.push(...addresses.map((address) => keyOf(chain, address)));
      return addresses.map((address) => contracts.get(keyOf(chain, address)) ?? { kind: 'read', metadata: {} });
    },
    readCode: async (chain, addresses) =>
      addresses.map((address) => codes.get(keyOf(chain, address)) ?? { kind: 'unknown', reason: 'No code was set.' }),
    probe: async (chain, asked: readonly ContractProbe[]) =>
      asked.map(({ reference }) => probes.get(keyOf(chain, reference)) ?? { kind: 'read', isAnswered: true }),
    readCollection: async (chain, address) => {
      reader.requests.push(keyOf(chain, address));
      return collections.get(keyOf(chain, address)) ?? { kind: 'none' };
    },
    readControl: async (chain, address, accounts) => {
      const control = controls.get(keyOf(chain, address)) ?? { kind: 'not-controlled' };
      if (typeof control !== 'string') return control;
      const by = accounts.find((account) => account.toLowerCase() === control.toLowerCase());
      return by === undefined ? { kind: 'not-controlled', owner: control } : { kind: 'controlled', by };
    },
  };
  return reader;
}
