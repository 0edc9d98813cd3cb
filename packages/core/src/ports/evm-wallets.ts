import type { Random } from '@latchkey/kernel';

/** A key that the platform holds for a user, and the address it signs for. */
export interface OwnerKey {
  /** 32 bytes; seal them before they are written anywhere. */
  privateKey: Uint8Array;
  /** In EIP-55 form. */
  address: string;
}

/** What EVM wallets need of chain knowledge. Nothing here talks to a chain. */
export interface EvmWallets {
  createOwnerKey(random: Random): OwnerKey;
  /**
   * The address that a Safe with this one owner will have once it is deployed, in EIP-55 form. The same owner and salt
   * give the same address for ever. Throws for chains whose contract addresses follow other rules.
   */
  safeAddress(owner: string, saltNonce: bigint, chainId: number): string;
  /** Signs a text as personal_sign does (EIP-191), as 0x and r, s, v. */
  personalSign(privateKey: Uint8Array, text: string): string;
  /** Whether such a signature is by the key with this public half, given as 0x04 and 128 hexadecimal digits. */
  isPersonalSignature(publicKey: string, text: Uint8Array, signature: string): boolean;
}
