import { Guest } from './guest.ts';
import { hostFunctions, type Outcome } from './host-functions.ts';
import type { WasmContext } from './wasm-context.ts';

/** Runs a method of compiled code in an instance of its own, as nodes do. Undefined when it has no such method. */
export function runWasm(module: WebAssembly.Module, method: string, context: WasmContext): Outcome | undefined {
  const outcome: Outcome = { value: new Uint8Array(), promises: [], returned: undefined };
  const guest = new Guest(() => memoryOf(instance).buffer);
  const instance: WebAssembly.Instance = new WebAssembly.Instance(module, {
    env: hostFunctions(guest, context, outcome),
  });
  const run = instance.exports[method];
  if (typeof run !== 'function') return undefined;
  run();
  return outcome;
}

function memoryOf({ exports: { memory } }: WebAssembly.Instance): WebAssembly.Memory {
  if (!(memory instanceof WebAssembly.Memory)) throw new WebAssembly.RuntimeError('The code has no memory.');
  return memory;
}
