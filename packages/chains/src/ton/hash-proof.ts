import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import type { TonAccount } from './address.ts';

// The first two bytes keep what is signed from being the hash of a message to a wallet contract.
const signingPrefix = concatBytes(Uint8Array.of(0xff, 0xff), utf8ToBytes('ton-connect'));
const itemPrefix = utf8ToBytes('ton-proof-item-v2/');

export interface TonProof {
  account: TonAccount;
  domain: string;
  timestampSeconds: number;
  payload: string;
}

/** What a wallet signs for a `ton_proof` of TON Connect. */
export function hashTonProof({ account, domain, timestampSeconds, payload }: TonProof): Uint8Array {
  const domainBytes = utf8ToBytes(domain);
  const [workchain, domainLength, timestamp] = [new Uint8Array(4), new Uint8Array(4), new Uint8Array(8)];
  new DataView(workchain.buffer).setInt32(0, account.workchain);
  new DataView(domainLength.buffer).setUint32(0, domainBytes.length, true);
  new DataView(timestamp.buffer).setBigUint64(0, BigInt(timestampSeconds), true);
  const payloadBytes = utf8ToBytes(payload);
  const item = concatBytes(itemPrefix, workchain, account.hash, domainLength, domainBytes, timestamp, payloadBytes);
  return sha256(concatBytes(signingPrefix, sha256(item)));
}
