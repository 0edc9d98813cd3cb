import type { Random } from '@latchkey/kernel';

/** The key pair of an Ethereum account. */
export interface EvmKey {
  /** 32 bytes; overwrite them after use. */
  privateKey: Uint8Array;
  /** In EIP-55 form. */
  address: string;
  /** The uncompressed point, as 0x04 and 128 hexadecimal digits. */
  publicKey: string;
}

/** The digests that are signed for texts. Servers need them too, to ask people for approval. */
export interface EvmDigests {
  /** The digest that personal_sign signs for a text (EIP-191). */
  textDigest(text: string): Uint8Array;
  /**
   * The digest that eth_signTypedData_v4 signs for typed data (EIP-712). Undefined unless the text is canonical JSON of
   * typed data whose every field is covered by its types, so that everything shown is also signed.
   */
  typedDataDigest(json: string): Promise<Uint8Array | undefined>;
}

/** Creates and uses the keys of hosted wallets. Only the signer has this port, and it never calls a chain. */
export interface EvmKeys extends EvmDigests {
  createKey(random: Random): EvmKey;
  /** The id of a public key: its hash, in decimal. */
  tokenIdOf(publicKey: string): string;
  /** Whether bytes are a transaction, signed or not: legacy, or one of the EIP-2718 types. */
  isTransaction(hex: string): Promise<boolean>;
  /**
   * A signature in canonical form (low s), as 0x and r, s, v. The same key and digest always give the same signature.
   */
  sign(privateKey: Uint8Array, digest: Uint8Array): string;
}
