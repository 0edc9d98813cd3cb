import { contracts } from './contracts/index.ts';
import { hashOf } from './hashes.ts';

const prefix = 'near-chain-twin:';

/** The bytes that stand for a contract where WebAssembly would be deployed. */
export function codeBytes(name: string): Uint8Array {
  return Buffer.from(`${prefix}${name}`);
}

export function hashOfCode(code: Uint8Array): string {
  return hashOf(code);
}

const names = new Map(Object.keys(contracts).map((name) => [hashOfCode(codeBytes(name)), name]));

/** The contract that bytes or their hash stand for; undefined for code that the twin cannot run. */
export function codeOf(code: Uint8Array | string): string | undefined {
  return names.get(typeof code === 'string' ? code : hashOfCode(code));
}
