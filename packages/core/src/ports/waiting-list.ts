/** What a signed quote promises: this user may register with this contract, for this price, until then. */
export interface QuoteTerms {
  chainId: number;
  /** The contract that checks it. */
  contractAddress: string;
  /** 32 bytes as 0x and hexadecimal digits. */
  userIdHash: string;
  priceWei: bigint;
  expiresAtSeconds: number;
}

export type RegistryAnswer = { kind: 'read'; isRegistered: boolean } | { kind: 'unknown'; reason: string };

/** The contract of the waiting list: what it takes to be believed by it, and what it remembers. */
export interface WaitingListChain {
  /** What a quote's signature is made over, as EIP-712 describes it, apart from the chain and the contract. */
  quoteFormat: Readonly<Record<string, unknown>>;
  /** The address, in EIP-55 form, whose quotes the contract must trust. */
  signerAddress(privateKey: Uint8Array): string;
  /** The quote's signature by EIP-712 as 0x, r, s and v. */
  signQuote(privateKey: Uint8Array, terms: QuoteTerms): Promise<string>;
  /** Never throws. */
  readRegistered(
    place: Pick<QuoteTerms, 'chainId' | 'contractAddress' | 'userIdHash'>,
    signal?: AbortSignal,
  ): Promise<RegistryAnswer>;
}
