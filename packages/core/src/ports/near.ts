/** One action of a transaction, in a form that can be shown to the user who signs it. */
export type NearStep =
  | { kind: 'call'; method: string; args: Readonly<Record<string, unknown>>; teraGas: number; yocto: string }
  | { kind: 'transfer'; yocto: string }
  | { kind: 'create-account' }
  | { kind: 'add-full-access-key'; publicKey: string }
  /** Uses the contract code that another account has published. */
  | { kind: 'use-code-of'; accountId: string };

/** A transaction before it is signed. */
export interface NearDraft {
  signerId: string;
  /** `ed25519:` and base58. */
  publicKey: string;
  nonce: number;
  receiverId: string;
  blockHash: string;
  steps: readonly NearStep[];
}

export interface NearKey {
  publicKey: string;
  nonce: number;
  /** Undefined means full access. Otherwise, everything that the key may do. */
  only: { receiverId: string; methods: readonly string[] } | undefined;
}

/** A signed transaction, parsed from its bytes. */
export interface NearSigned {
  bytes: Uint8Array;
  hash: string;
  signerId: string;
  receiverId: string;
}

/** The result of a transaction. */
export type NearResult = { kind: 'done'; value: unknown; logs: readonly string[] } | { kind: 'failed'; reason: string };

export type NearSending =
  | NearResult
  /** It is not executed and never will be. `isOutdated`: it can be signed again with a newer nonce or block. */
  | { kind: 'refused'; reason: string; isOutdated: boolean }
  /** It may or may not be executed: look it up before doing anything else. */
  | { kind: 'unknown'; reason: string };

export type NearLookUp = NearResult | { kind: 'absent' } | { kind: 'unknown'; reason: string };

export type NearView =
  | { kind: 'value'; value: unknown }
  /** The account, a contract on it, or the method does not exist. */
  | { kind: 'none' }
  /** The contract's call failed. */
  | { kind: 'failed'; reason: string };

/** Thrown by reads if no node of the network responds. The message contains no URL. */
export class NearUnavailable extends Error {}

/** The operator's settings for contracts and money on NEAR. */
export interface NearSetup {
  /** The accounts that have published the code of token contracts and marketplaces. */
  tokenCode: string;
  marketCode: string;
  /** The default marketplace. */
  defaultMarket: string | undefined;
  /** The fee of new marketplaces per sale, in basis points. */
  marketFeeBasisPoints: number;
  /** The initial balance of a new contract, and of a new user account. */
  contractYocto: bigint;
  accountYocto: bigint;
}

/** A NEAR network that can be read and written, with an account that belongs to the server. */
export interface Near {
  /** mainnet, testnet, localnet … */
  network: string;
  account: { id: string; publicKey: string };
  setup: NearSetup;
  isAccountId(text: string): boolean;
  isPublicKey(text: string): boolean;
  view(contractId: string, method: string, args: Readonly<Record<string, unknown>>): Promise<NearView>;
  findAccount(accountId: string): Promise<{ yocto: bigint } | undefined>;
  /** Empty for an account that does not exist. */
  keysOf(accountId: string): Promise<NearKey[]>;
  finalBlockHash(): Promise<string>;
  /** The bytes that a wallet signs, and the hash of the future transaction. */
  encode(draft: NearDraft): { bytes: Uint8Array; hash: string };
  /** Signs with the key of the server's account. */
  sign(draft: NearDraft): Promise<NearSigned>;
  /** Adds a signature to a draft; undefined if it is not a signature of the draft's key over this draft. */
  attach(draft: NearDraft, signature: Uint8Array): NearSigned | undefined;
  /**
   * Parses a signed transaction; undefined if it is malformed, its signature is wrong, or its steps differ from the
   * expected ones.
   */
  readSigned(bytes: Uint8Array, expected: Pick<NearDraft, 'signerId' | 'receiverId' | 'steps'>): NearSigned | undefined;
  /** Whether the key signed this message for this recipient according to NEP-413. */
  isMessageSigned(message: NearMessage & { publicKey: string; signature: Uint8Array }): boolean;
  /** Sends a transaction and waits until it is final. Never throws. */
  send(signed: Pick<NearSigned, 'bytes' | 'hash' | 'signerId'>): Promise<NearSending>;
  /** Never throws. */
  lookUp(hash: string, signerId: string): Promise<NearLookUp>;
}

export interface NearMessage {
  message: string;
  /** 32 bytes. */
  nonce: Uint8Array;
  recipient: string;
}
