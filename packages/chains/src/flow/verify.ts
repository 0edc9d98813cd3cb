import type { ProofVerdict } from '@latchkey/core/ports';
import { giveWay } from '../give-way.ts';
import { invalid, unknown, type WalletClaim } from '../wallet-namespace.ts';
import type { AccountKey, FindAccountKeys } from './account-keys.ts';
import { normalizeAddress } from './address.ts';
import { checkKeySignature } from './check-signature.ts';
import { type CompositeSignature, readSignatures } from './composite-signature.ts';
import { schemes, signedBytes } from './signed-bytes.ts';

export interface FlowOptions {
  findAccountKeys: FindAccountKeys;
}

// Keys weigh up to 1000, and only 1000 together can act for an account.
const neededWeight = 1000;

export async function verifyFlowClaim(
  claim: WalletClaim,
  { findAccountKeys }: FlowOptions,
  signal: AbortSignal | undefined,
): Promise<ProofVerdict> {
  const read = readClaim(claim);
  if (typeof read === 'string') return invalid(read);
  let keys: AccountKey[] | undefined;
  try {
    keys = await findAccountKeys(claim.address, claim.chain, signal);
  } catch {
    return unknown('The keys of this account could not be read from the chain; try again.');
  }
  if (!keys) return invalid('Account not found on this chain.');
  return judge(claim.address, read, keys);
}

interface ReadClaim {
  bytes: Uint8Array;
  signatures: CompositeSignature[];
}

/** Everything that can be judged without asking the chain; a text says what is wrong. */
function readClaim({ chain, address, message, signature, details }: WalletClaim): ReadClaim | string {
  const { scheme: declared = 'user-signature' } = details;
  const scheme = schemes.find((known) => known === declared);
  if (!scheme) return `There are signatures of ${schemes.join(' and ')}.`;
  const bytes = signedBytes(scheme, message, address);
  if (!bytes) return 'The message is not an account proof for this address.';
  const signatures = readSignatures(signature);
  if (!signatures) return 'The signature is not a list of composite signatures.';
  if (signatures.some(({ addr }) => normalizeAddress(addr, chain) !== address)) {
    return 'A signature is of another account.';
  }
  if (new Set(signatures.map(({ keyId }) => keyId)).size !== signatures.length) return 'A key signed twice.';
  return { bytes, signatures };
}

async function judge(
  address: string,
  { bytes, signatures }: ReadClaim,
  keys: readonly AccountKey[],
): Promise<ProofVerdict> {
  let weight = 0;
  for (const { keyId, signature } of signatures) {
    await giveWay();
    const key = keys.find((candidate) => candidate.index === keyId);
    if (!key || key.revoked) return invalid(`The account has no key ${keyId} in use.`);
    if (!checkKeySignature(key, signature, bytes)) return invalid(`Key ${keyId} did not sign this message.`);
    weight += key.weight;
  }
  if (weight < neededWeight) {
    return invalid(`The keys that signed weigh ${weight} of the ${neededWeight} an account needs.`);
  }
  return { kind: 'valid', address };
}
