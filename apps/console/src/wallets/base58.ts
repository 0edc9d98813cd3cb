import { base58 } from '@scure/base';

/** Bytes as Solana writes signatures. */
export const encodeBase58 = (bytes: Uint8Array): string => base58.encode(bytes);
