import type { Random } from '@latchkey/kernel';

/** A key pair of an Ethereum account. */
export interface EvmKey {
  /** 32 bytes; overwrite them after use. */
  privateKey: Uint8Array;
  /** In EIP-55 form. */
  address: string;
  /** The uncompressed point, as 0x04 and 128 hexadecimal digits. */
  publicKey: string;
}

/** What is signed for a text. Servers need it too, to ask people for their approval of it. */
export interface EvmDigests {
  /** What is signed for a text by personal_sign (EIP-191). */
  textDigest(text: string): Uint8Array;
  /**
   * What is signed for typed data by eth_signTypedData_v4 (EIP-712). Undefined unless the text is the one JSON form of
   * typed data whose every member is covered by its types, so that nothing shown is left unsigned.
   */
  typedDataDigest(json: string): Promise<Uint8Array | undefined>;
}

/** Making and using the keys of hosted wallets. Only the signer has this port, and nothing here talks to a chain. */
export interface EvmKeys extends EvmDigests {
  createKey(random: Random): EvmKey;
  /** The number under which a public key is known: its hash, as a decimal. */
  tokenIdOf(publicKey: string): string;
  /** Whether bytes are a transaction, signed or not: legacy, or of one of the types of EIP-2718. */
  isTransaction(hex: string): Promise<boolean>;
  /** A signature in canonical form (low s), as 0x and r, s, v. The same key and digest always give the same one. */
  sign(privateKey: Uint8Array, digest: Uint8Array): string;
}
