import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { Hex } from './node-rpc.ts';

/** Returns the topic of an event's logs. */
export function topicOf(signature: string): Hex {
  return `0x${bytesToHex(keccak_256(utf8ToBytes(signature)))}`;
}

/** Returns the four-byte selector of a function. */
export function selectorOf(signature: string): Hex {
  return `0x${topicOf(signature).slice(2, 10)}`;
}

export const transferTopic = topicOf('Transfer(address,address,uint256)');
export const transferSingleTopic = topicOf('TransferSingle(address,address,address,uint256,uint256)');
export const transferBatchTopic = topicOf('TransferBatch(address,address,address,uint256[],uint256[])');
