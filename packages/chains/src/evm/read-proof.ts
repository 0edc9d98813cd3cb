import type { WalletProof } from '@latchkey/core/ports';
import { normalizeEvmAddress } from './address.ts';
import { personalSignHash } from './personal-sign.ts';
import { readSignature } from './read-signature.ts';
import { parseSiweMessage } from './siwe.ts';

/** `safe` leaves the judgement to the contract alone and takes what it has approved on the chain, without a signature. */
const schemes = ['eip191', 'eip712', 'safe'] as const;

/** A proof whose every part has the right form; whether it is true has not been looked at. */
export interface ReadProof {
  kind: 'read';
  scheme: (typeof schemes)[number];
  chain: string;
  address: string;
  hash: Uint8Array;
  signature: Uint8Array;
}

type Malformed = { kind: 'invalid'; reason: string };

const malformed = (reason: string): Malformed => ({ kind: 'invalid', reason });

// viem takes a third of a second to load, and accounts that use personal_sign need none of it.
async function hashTypedMessage({ message, chain, details }: WalletProof): Promise<Uint8Array | undefined> {
  const { parseTypedData, typedDataHash } = await import('./typed-data.ts');
  const hash = typedDataHash(parseTypedData(message), chain);
  if (hash === undefined || details?.typedData === undefined) return hash;
  // What the wallet says it signed is only a second telling of what the server asked it to sign.
  const told = typedDataHash(details.typedData, chain);
  return told !== undefined && Buffer.from(hash).equals(told) ? hash : undefined;
}

/**
 * A sign-in message names the account and the chain it is for. A contract is asked on the chain of the proof, so that
 * chain must be the signed one: another chain can have another owner's contract at the same address.
 */
function contradictsMessage({ message, chain }: WalletProof, address: string): boolean {
  if (!message.includes(' wants you to sign in with your Ethereum account:')) return false;
  const fields = parseSiweMessage(message);
  return fields?.address !== address || String(fields.chainId) !== chain;
}

export async function readProof(proof: WalletProof): Promise<ReadProof | Malformed> {
  const { chain, message } = proof;
  const address = normalizeEvmAddress(proof.address);
  if (address === undefined) return malformed('The address is not an EVM address, or its capitals are wrong.');
  if (typeof chain !== 'string' || !/^[1-9][0-9]{0,31}$/.test(chain)) {
    return malformed('The chain is not the number of an EVM chain.');
  }
  // Lone surrogates have no bytes of their own: several such texts would share one hash.
  if (typeof message !== 'string' || !message.isWellFormed()) return malformed('The message is not a text.');
  const scheme = schemes.find((known) => known === (proof.details?.scheme ?? 'eip191'));
  if (scheme === undefined) return malformed('The way of signing is not one of eip191, eip712 and safe.');
  const signature = readSignature(proof.signature);
  if (signature === undefined) return malformed('The signature is not hexadecimal.');
  if (signature.length === 0 && scheme !== 'safe') return malformed('The signature is empty.');
  if (contradictsMessage(proof, address)) return malformed('The message is for another address or chain.');
  const hash = scheme === 'eip712' ? await hashTypedMessage(proof) : personalSignHash(message);
  if (hash === undefined) return malformed('The message is not typed data for this chain.');
  return { kind: 'read', scheme, chain, address, hash, signature };
}
