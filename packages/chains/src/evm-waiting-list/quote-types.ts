import type { QuoteTerms } from '@latchkey/core/ports';
import type { Address, Hex, TypedDataDomain } from 'viem';

/** The quote as EIP-712 sees it. The contract holds the same words. */
export const quoteTypes = {
  Quote: [
    { name: 'userIdHash', type: 'bytes32' },
    { name: 'price', type: 'uint256' },
    { name: 'expiresAt', type: 'uint256' },
  ],
} as const;

export const quoteName = 'Latchkey Waiting List';
export const quoteVersion = '1';

/** The chain and the contract are part of what is signed, so that a quote is good nowhere else. */
export function quoteDomain({
  chainId,
  contractAddress,
}: Pick<QuoteTerms, 'chainId' | 'contractAddress'>): TypedDataDomain {
  return { name: quoteName, version: quoteVersion, chainId, verifyingContract: asHex(contractAddress) };
}

/** Addresses and hashes come from places that have checked their form. */
export function asHex(text: string): Address & Hex {
  if (!/^0x[0-9a-fA-F]+$/.test(text)) throw new Error('An address or a hash is 0x and hexadecimal digits.');
  return text as Hex;
}
