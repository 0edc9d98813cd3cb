import { findAccount, updateAccount } from '../accounts.ts';
import type { ReadState, WorldState } from '../world-state.ts';
import type { ByteStorage } from './wasm-context.ts';

/** The bytes that the protocol counts per entry besides its key and its value. */
const bytesPerEntry = 40;

const keyOf = (account: string, key: Uint8Array) => `data/${account}/${Buffer.from(key).toString('latin1')}`;

export function readByteStorage(state: ReadState, account: string): ByteStorage {
  return {
    get: (key) => {
      const value = state.get(keyOf(account, key));
      return value instanceof Uint8Array ? value : undefined;
    },
    set: () => {
      throw new Error('A view tried to write to storage.');
    },
    usage: () => findAccount(state, account)?.storageUsage ?? 0,
  };
}

/** The storage of a contract. Its usage is counted on each change. */
export function byteStorage(state: WorldState, account: string): ByteStorage {
  const read = readByteStorage(state, account);
  const sizeOf = (key: Uint8Array, value: Uint8Array | undefined) =>
    value === undefined ? 0 : key.length + value.length + bytesPerEntry;
  return {
    ...read,
    set: (key, value) => {
      const change = sizeOf(key, value) - sizeOf(key, read.get(key));
      state.set(keyOf(account, key), value);
      if (change !== 0) updateAccount(state, account, { storageUsage: read.usage() + change });
    },
  };
}
