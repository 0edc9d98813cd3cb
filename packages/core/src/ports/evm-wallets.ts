import type { Random } from '@latchkey/kernel';

/** A key that the platform holds for a user, and its address. */
export interface OwnerKey {
  /** 32 bytes; seal them before they are stored anywhere. */
  privateKey: Uint8Array;
  /** In EIP-55 form. */
  address: string;
}

/** EVM functions that need no chain access. */
export interface EvmWallets {
  createOwnerKey(random: Random): OwnerKey;
  /**
   * The address that a Safe with this single owner will have once it is deployed, in EIP-55 form. The same owner and
   * salt always give the same address. Throws for chains that compute contract addresses differently.
   */
  safeAddress(owner: string, saltNonce: bigint, chainId: number): string;
  /** Signs a text as personal_sign does (EIP-191), as 0x and r, s, v. */
  personalSign(privateKey: Uint8Array, text: string): string;
  /** Whether such a signature was made by this public key, given as 0x04 and 128 hexadecimal digits. */
  isPersonalSignature(publicKey: string, text: Uint8Array, signature: string): boolean;
}
