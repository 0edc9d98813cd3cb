import { base58 } from '@scure/base';

/** Encodes bytes the way Solana writes signatures. */
export const encodeBase58 = (bytes: Uint8Array): string => base58.encode(bytes);
