import { contracts } from './contracts/index.ts';
import { hashOf } from './hashes.ts';
import { wasmBytes, wasmCodes } from './wasm/artifacts.ts';

const prefix = 'near-chain-emulator:';

/** Returns the WebAssembly of a contract, or placeholder bytes if the emulator implements a third-party contract itself. */
export function codeBytes(name: string): Uint8Array {
  return wasmBytes(name) ?? Buffer.from(`${prefix}${name}`);
}

export function hashOfCode(code: Uint8Array): string {
  return hashOf(code);
}

const names = new Map([...Object.keys(contracts), ...wasmCodes].map((name) => [hashOfCode(codeBytes(name)), name]));

/** Returns the contract of bytes or their hash; undefined for code that the emulator cannot run. */
export function codeOf(code: Uint8Array | string): string | undefined {
  return names.get(typeof code === 'string' ? code : hashOfCode(code));
}
