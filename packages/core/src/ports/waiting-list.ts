/** The terms of a signed quote: this user may register with this contract, for this price, until this time. */
export interface QuoteTerms {
  chainId: number;
  /** The contract that verifies it. */
  contractAddress: string;
  /** 32 bytes as 0x and hexadecimal digits. */
  userIdHash: string;
  priceWei: bigint;
  expiresAtSeconds: number;
}

export type RegistryAnswer = { kind: 'read'; isRegistered: boolean } | { kind: 'unknown'; reason: string };

/** The waiting list contract: how to sign quotes for it, and what it has stored. */
export interface WaitingListChain {
  /** The EIP-712 format of a quote's signature, without the chain and the contract. */
  quoteFormat: Readonly<Record<string, unknown>>;
  /** The address, in EIP-55 form, whose quotes the contract must trust. */
  signerAddress(privateKey: Uint8Array): string;
  /** The quote's EIP-712 signature as 0x, r, s and v. */
  signQuote(privateKey: Uint8Array, terms: QuoteTerms): Promise<string>;
  /** Never throws. */
  readRegistered(
    place: Pick<QuoteTerms, 'chainId' | 'contractAddress' | 'userIdHash'>,
    signal?: AbortSignal,
  ): Promise<RegistryAnswer>;
}
