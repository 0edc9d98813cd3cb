/** Signatures of Ethereum accounts. */
export interface EvmSignatures {
  /**
   * The checksummed address (EIP-55) whose key signed the text as a wallet's personal_sign does (EIP-191). Undefined when
   * the signature is malformed or is the second form (high s) of one that was made, which EIP-2 forbids.
   */
  recoverPersonalSign(text: string, signature: string): string | undefined;
}
