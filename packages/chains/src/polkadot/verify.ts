import type { ProofVerdict } from '@latchkey/core/ports';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { invalid, type WalletClaim } from '../wallet-namespace.ts';
import type { Account } from './account.ts';
import { checkSignature, cryptoTypes, readSignature } from './check-signature.ts';

function signedForms(message: string, { allowUnwrapped = false }: { allowUnwrapped?: boolean }): Uint8Array[] {
  const wrapped = utf8ToBytes(`<Bytes>${message}</Bytes>`);
  return allowUnwrapped ? [wrapped, utf8ToBytes(message)] : [wrapped];
}

export function verifyPolkadotClaim(
  claim: WalletClaim,
  account: Account,
  options: { allowUnwrapped?: boolean },
): ProofVerdict {
  const forms = signedForms(claim.message, options);
  const bytes = decodeSignature(claim.signature);
  if (!bytes) return invalid('The signature is not 0x and the digits of 64 to 66 bytes.');
  const declared = claim.details.cryptoType;
  if (declared !== undefined && !cryptoTypes.some((known) => known === declared)) {
    return invalid(`There are keys of ${cryptoTypes.join(', ')}.`);
  }
  const readings = readSignature(bytes, account.kind).filter(
    ({ cryptoType }) => declared === undefined || cryptoType === declared || isEthereumKey(cryptoType, declared),
  );
  const isValid = readings.some((reading) => forms.some((form) => checkSignature(reading, form, account.bytes)));
  if (!isValid) return invalid('The signature is not one of this account over this message.');
  return { kind: 'valid', address: account.text };
}

/** A key of Ethereum's kind is an ECDSA key too, and some wallets call it only that. */
function isEthereumKey(cryptoType: string, declared: unknown): boolean {
  return cryptoType === 'ethereum' && declared === 'ecdsa';
}

function decodeSignature(signature: unknown): Uint8Array | undefined {
  if (typeof signature !== 'string' || !/^0x(?:[0-9a-fA-F]{2}){64,66}$/.test(signature)) return undefined;
  return hexToBytes(signature.slice(2));
}
