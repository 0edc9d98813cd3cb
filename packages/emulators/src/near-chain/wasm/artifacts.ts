import { readFileSync } from 'node:fs';

/** The compiled contracts of this project, by the emulator's name of their code. */
const files = { nep171: 'nft.wasm', nep141: 'ft.wasm', market: 'market.wasm' } as const;

export type WasmCode = keyof typeof files;
export const wasmCodes = Object.keys(files) as readonly WasmCode[];

const loaded = new Map<string, { bytes: Uint8Array; module: WebAssembly.Module }>();

function load(code: WasmCode) {
  const known = loaded.get(code);
  if (known !== undefined) return known;
  const bytes = readFileSync(new URL(`../../../near-contracts/artifacts/${files[code]}`, import.meta.url));
  const made = { bytes, module: new WebAssembly.Module(bytes) };
  loaded.set(code, made);
  return made;
}

function isWasm(code: string): code is WasmCode {
  return Object.hasOwn(files, code);
}

export function wasmBytes(code: string): Uint8Array | undefined {
  return isWasm(code) ? load(code).bytes : undefined;
}

export function wasmModule(code: string): WebAssembly.Module | undefined {
  return isWasm(code) ? load(code).module : undefined;
}
