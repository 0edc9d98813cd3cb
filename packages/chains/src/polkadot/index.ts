import type { ProofVerdict, WalletNamespace } from '@latchkey/core/ports';
import { hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { createWalletNamespace, invalid, type WalletClaim } from '../wallet-namespace.ts';
import { type Account, parseAccount } from './account.ts';
import { checkSignature, cryptoTypes, readSignature } from './check-signature.ts';
import { knownNetworks, type PolkadotNetwork } from './networks.ts';

export type { PolkadotNetwork } from './networks.ts';

export interface PolkadotOptions {
  /**
   * Also take signatures over the bare text. Wallets put `<Bytes>` around a text so that it can never be a transaction;
   * one that does not do so would sign a transaction just as readily.
   */
  allowUnwrapped?: boolean;
  /** Chains besides the known ones, by the name they go by in a proof. */
  networks?: Readonly<Record<string, PolkadotNetwork>>;
}

/**
 * The wallets of Polkadot, Kusama and their parachains, by name or as CAIP-2 calls them. A proof may say in
 * `details.cryptoType` which kind of key signed; otherwise every kind that fits the account is tried.
 */
export function createPolkadotWallets(options: PolkadotOptions = {}): WalletNamespace {
  const networks = new Map(Object.entries({ ...knownNetworks, ...options.networks }));
  const findAccount = (address: string, chain: string) => {
    const network = networks.get(chain);
    return network && parseAccount(address, network);
  };
  return createWalletNamespace({
    namespace: 'polkadot',
    chains: [...networks.keys()],
    normalizeAddress: (address, chain) => findAccount(address, chain)?.text,
    judge: (claim) => {
      const account = findAccount(claim.address, claim.chain);
      return account ? judge(claim, account, signedForms(claim.message, options)) : invalid('This is no account.');
    },
  });
}

function signedForms(message: string, { allowUnwrapped = false }: PolkadotOptions): Uint8Array[] {
  const wrapped = utf8ToBytes(`<Bytes>${message}</Bytes>`);
  return allowUnwrapped ? [wrapped, utf8ToBytes(message)] : [wrapped];
}

function judge(claim: WalletClaim, account: Account, forms: readonly Uint8Array[]): ProofVerdict {
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
