import { createHash } from 'node:crypto';
import { ContractPanic } from '../contracts/contract.ts';
import type { Action } from '../transaction.ts';
import { type CallSide, ProhibitedInView, type WasmContext } from './wasm-context.ts';

/** Runs a method of compiled code in a separate instance, as nodes do. Returns undefined if there is no such method. */
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

type HostFunction = (...args: bigint[]) => bigint | undefined;

/** A receipt that the contract is building, while actions are added to it. */
interface DraftPromise {
  receiverId: string;
  actions: Action[];
  after: readonly number[];
}

interface Outcome {
  value: Uint8Array;
  promises: DraftPromise[];
  /** The promise whose result is the method's result. */
  returned: number | undefined;
}

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** The host functions of NEAR's VM, as far as these contracts use them. */
function hostFunctions(guest: Guest, context: WasmContext, outcome: Outcome): Record<string, HostFunction> {
  return {
    ...registerFunctions(guest),
    ...contextFunctions(guest, context),
    ...storageFunctions(guest, context),
    ...promiseFunctions(guest, context, outcome),
    sha256: (length = 0n, at = 0n, register = 0n) =>
      void guest.setRegister(register, createHash('sha256').update(guest.bytes(length, at)).digest()),
    value_return: (length = 0n, at = 0n) => {
      outcome.value = guest.bytes(length, at);
      return undefined;
    },
    panic_utf8: (length = 0n, at = 0n) => {
      throw new ContractPanic(guest.text(length, at));
    },
    log_utf8: (length = 0n, at = 0n) => void context.call?.log(guest.text(length, at)),
  };
}

function registerFunctions(guest: Guest): Record<string, HostFunction> {
  return {
    read_register: (register = 0n, at = 0n) => {
      const bytes = guest.register(register);
      if (bytes === undefined) throw new WebAssembly.RuntimeError('InvalidRegisterId');
      guest.write(at, bytes);
      return undefined;
    },
    register_len: (register = 0n) => {
      const bytes = guest.register(register);
      return bytes === undefined ? 0xffffffffffffffffn : BigInt(bytes.length);
    },
  };
}

/** Returns what only a state-changing call can read. */
function callOf({ call }: WasmContext, name: string): CallSide {
  if (call === undefined) throw new ProhibitedInView(name);
  return call;
}

function contextFunctions(guest: Guest, context: WasmContext): Record<string, HostFunction> {
  const returnText = (name: string, read: (call: CallSide) => string) => (register: bigint) =>
    void guest.setRegister(register, bytesOf(read(callOf(context, name))));
  return {
    input: (register = 0n) => void guest.setRegister(register, context.args),
    current_account_id: (register = 0n) => void guest.setRegister(register, bytesOf(context.account)),
    predecessor_account_id: returnText('predecessor_account_id', (call) => call.predecessor),
    signer_account_id: returnText('signer_account_id', (call) => call.signer),
    attached_deposit: (at = 0n) => void guest.writeAmount(at, callOf(context, 'attached_deposit').deposit),
    prepaid_gas: () => BigInt(callOf(context, 'prepaid_gas').gas),
    block_timestamp: () => context.timestampNs,
    storage_usage: () => BigInt(context.storage.usage()),
  };
}

function storageFunctions(guest: Guest, context: WasmContext): Record<string, HostFunction> {
  const { storage } = context;
  /** The previous value goes into the register. */
  const replace = (name: string, key: Uint8Array, value: Uint8Array | undefined, register: bigint) => {
    callOf(context, name);
    const old = storage.get(key);
    storage.set(key, value);
    if (old === undefined) return 0n;
    guest.setRegister(register, old);
    return 1n;
  };
  return {
    storage_read: (length = 0n, at = 0n, register = 0n) => {
      const found = storage.get(guest.bytes(length, at));
      if (found === undefined) return 0n;
      guest.setRegister(register, found);
      return 1n;
    },
    storage_write: (length = 0n, at = 0n, valueLength = 0n, valueAt = 0n, register = 0n) =>
      replace('storage_write', guest.bytes(length, at), guest.bytes(valueLength, valueAt), register),
    storage_remove: (length = 0n, at = 0n, register = 0n) =>
      replace('storage_remove', guest.bytes(length, at), undefined, register),
  };
}

function promiseFunctions(guest: Guest, context: WasmContext, outcome: Outcome): Record<string, HostFunction> {
  const { promises } = outcome;
  const add = (name: string, receiverId: string, after: readonly number[]) => {
    callOf(context, name);
    promises.push({ receiverId, actions: [], after });
    return BigInt(promises.length - 1);
  };
  const at = (index: bigint) => {
    const promise = promises[Number(index)];
    if (promise === undefined) throw new WebAssembly.RuntimeError('InvalidPromiseIndex');
    return promise;
  };
  return {
    promise_batch_create: (length = 0n, account = 0n) => add('promise_batch_create', guest.text(length, account), []),
    promise_batch_then: (promise = 0n, length = 0n, account = 0n) => {
      at(promise);
      return add('promise_batch_then', guest.text(length, account), [Number(promise)]);
    },
    promise_batch_action_transfer: (promise = 0n, amount = 0n) =>
      void at(promise).actions.push({ kind: 'Transfer', deposit: guest.amount(amount) }),
    promise_batch_action_function_call: (...given) => {
      const [promise = 0n, methodLength = 0n, method = 0n, argsLength = 0n, args = 0n, amount = 0n, gas = 0n] = given;
      at(promise).actions.push({
        kind: 'FunctionCall',
        method: guest.text(methodLength, method),
        args: guest.bytes(argsLength, args),
        gas: Number(gas),
        deposit: guest.amount(amount),
      });
      return undefined;
    },
    promise_return: (promise = 0n) => {
      at(promise);
      outcome.returned = Number(promise);
      return undefined;
    },
    promise_results_count: () => BigInt(callOf(context, 'promise_results_count').results.length),
    promise_result: (index = 0n, register = 0n) => {
      const { results } = callOf(context, 'promise_result');
      const result = results[Number(index)];
      if (Number(index) >= results.length) throw new WebAssembly.RuntimeError('InvalidPromiseResultIndex');
      if (result === undefined) return 2n;
      guest.setRegister(register, result);
      return 1n;
    },
  };
}

/** The memory of a running contract, and the registers in which its host leaves results. */
class Guest {
  readonly #memory: () => ArrayBuffer;
  readonly #registers = new Map<bigint, Uint8Array>();

  constructor(memory: () => ArrayBuffer) {
    this.#memory = memory;
  }

  bytes(length: bigint, at: bigint): Uint8Array {
    return new Uint8Array(this.#memory(), Number(at), Number(length)).slice();
  }

  text(length: bigint, at: bigint): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(this.bytes(length, at));
  }

  write(at: bigint, bytes: Uint8Array): void {
    new Uint8Array(this.#memory()).set(bytes, Number(at));
  }

  /** A little-endian 128-bit integer. */
  amount(at: bigint): bigint {
    const view = new DataView(this.#memory(), Number(at), 16);
    return view.getBigUint64(0, true) + (view.getBigUint64(8, true) << 64n);
  }

  writeAmount(at: bigint, amount: bigint): void {
    const view = new DataView(this.#memory(), Number(at), 16);
    view.setBigUint64(0, amount & 0xffffffffffffffffn, true);
    view.setBigUint64(8, amount >> 64n, true);
  }

  /** The largest number means no register. */
  setRegister(register: bigint, bytes: Uint8Array): void {
    const id = BigInt.asUintN(64, register);
    if (id !== 0xffffffffffffffffn) this.#registers.set(id, bytes);
  }

  register(register: bigint): Uint8Array | undefined {
    return this.#registers.get(BigInt.asUintN(64, register));
  }
}
