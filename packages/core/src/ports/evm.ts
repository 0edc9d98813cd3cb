/** Signatures of Ethereum accounts. */
export interface EvmSignatures {
  /**
   * The checksummed address (EIP-55) whose key signed the text with personal_sign (EIP-191). Undefined if the signature
   * is malformed, or has a high s, which EIP-2 forbids.
   */
  recoverPersonalSign(text: string, signature: string): string | undefined;
}
