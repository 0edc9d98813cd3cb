/** The metadata of a token contract. Missing fields are absent. */
export interface ContractMetadata {
  standard?: 'erc20' | 'erc721' | 'erc1155';
  name?: string;
  symbol?: string;
  decimals?: number;
}

/** `unknown` means that the chain could not be reached, which says nothing about the contract. */
export type ContractAnswer = { kind: 'read'; metadata: ContractMetadata } | { kind: 'unknown'; reason: string };

/** Whether an address has code, so that calls to it can be answered. */
export type CodeAnswer = { kind: 'read'; hasCode: boolean } | { kind: 'unknown'; reason: string };

/** The metadata documents of some tokens of a collection. */
export type CollectionAnswer =
  | {
      kind: 'read';
      /** What was found behind the token URIs: parsed, untrusted JSON. */
      documents: readonly unknown[];
      /** Tokens whose document could not be had. */
      missing: number;
      /** Tokens of the collection that were not read, as far as it reports their number. */
      left: number;
    }
  /** The contract has no tokens that can be listed, or is not a collection. */
  | { kind: 'none' }
  | { kind: 'unknown'; reason: string };

/** Whether one of some accounts controls a contract, according to its chain. */
export type ControlAnswer =
  /** It is the owner that the contract names, holds its admin role, or deployed a contract that names no owner. */
  | { kind: 'controlled'; by: string }
  | { kind: 'not-controlled' /** The owner that the contract names. */; owner?: string }
  | { kind: 'unknown'; reason: string };

/** Reads what tokens say of themselves. Chains are spelled as in CAIP-2: `evm:1`. */
export interface TokenMetadataReader {
  /** Whether this chain can be asked at all, as configured here. */
  reads(chain: string): boolean;
  /** Answers in the order of the contracts. Never throws for a node that is down, slow or wrong. */
  read(chain: string, contracts: readonly string[], signal?: AbortSignal): Promise<readonly ContractAnswer[]>;
  /** Answers in the order of the contracts. Never throws for a node that is down, slow or wrong. */
  readCode(chain: string, contracts: readonly string[], signal?: AbortSignal): Promise<readonly CodeAnswer[]>;
  /** The documents of up to `limit` tokens. Never throws for a node or a host that is down, slow or wrong. */
  readCollection(
    chain: string,
    contract: string,
    options: { limit: number; signal?: AbortSignal },
  ): Promise<CollectionAnswer>;
  /** Never throws for a node that is down, slow or wrong. */
  readControl(
    chain: string,
    contract: string,
    accounts: readonly string[],
    signal?: AbortSignal,
  ): Promise<ControlAnswer>;
}
