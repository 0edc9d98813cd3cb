import type { Question } from './holdings.ts';

/** The metadata of a token contract. Missing fields are absent. */
export interface ContractMetadata {
  standard?: 'erc20' | 'erc721' | 'erc1155';
  name?: string;
  symbol?: string;
  decimals?: number;
}

/** `unknown` means that the chain could not be reached, which says nothing about the contract. */
export type ContractAnswer = { kind: 'read'; metadata: ContractMetadata } | { kind: 'unknown'; reason: string };

/** Whether an address has code, so that it can respond to calls. */
export type CodeAnswer = { kind: 'read'; hasCode: boolean } | { kind: 'unknown'; reason: string };

/** What a condition reads from a contract, whatever the account. */
export type ContractProbe = Pick<Question, 'standard' | 'reference' | 'tokenIds' | 'details'>;

/** Whether a contract answers what a condition reads from it. */
export type ProbeAnswer = { kind: 'read'; isAnswered: boolean } | { kind: 'unknown'; reason: string };

/** The metadata documents of some tokens of a collection. */
export type CollectionAnswer =
  | {
      kind: 'read';
      /** The documents at the token URIs: parsed, untrusted JSON. */
      documents: readonly unknown[];
      /** Tokens whose document could not be fetched. */
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

/** Reads the metadata of tokens. Chains are given in CAIP-2 form: `evm:1`. */
export interface TokenMetadataReader {
  /** Whether this chain can be read, as configured here. */
  reads(chain: string): boolean;
  /** Returns answers in the order of the contracts. Never throws if a node is down, slow or wrong. */
  read(chain: string, contracts: readonly string[], signal?: AbortSignal): Promise<readonly ContractAnswer[]>;
  /** Returns answers in the order of the contracts. Never throws if a node is down, slow or wrong. */
  readCode(chain: string, contracts: readonly string[], signal?: AbortSignal): Promise<readonly CodeAnswer[]>;
  /**
   * Reads what conditions read, for an account of no member. Returns answers in the order of the probes. Never throws if a node is down,
   * slow or wrong.
   */
  probe(chain: string, probes: readonly ContractProbe[], signal?: AbortSignal): Promise<readonly ProbeAnswer[]>;
  /** The documents of up to `limit` tokens. Never throws if a node or a host is down, slow or wrong. */
  readCollection(
    chain: string,
    contract: string,
    options: { limit: number; signal?: AbortSignal },
  ): Promise<CollectionAnswer>;
  /** Never throws if a node is down, slow or wrong. */
  readControl(
    chain: string,
    contract: string,
    accounts: readonly string[],
    signal?: AbortSignal,
  ): Promise<ControlAnswer>;
}
