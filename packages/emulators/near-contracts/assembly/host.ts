import * as env from "./env";
import { U128 } from "./u128";

/** Wraps the host functions in texts and amounts instead of registers. */

const noRegister: u64 = u64.MAX_VALUE;

export const teraGas: u64 = 1_000_000_000_000;

function address(bytes: ArrayBuffer): u64 {
  return <u64>changetype<usize>(bytes);
}

function utf8(text: string): ArrayBuffer {
  return String.UTF8.encode(text);
}

function readRegister(): ArrayBuffer {
  const bytes = new ArrayBuffer(<i32>env.register_len(0));
  env.read_register(0, address(bytes));
  return bytes;
}

function registerText(): string {
  return String.UTF8.decode(readRegister());
}

/** Aborts: the whole receipt is rolled back. */
export function panic(message: string): void {
  const bytes = utf8(message);
  env.panic_utf8(bytes.byteLength, address(bytes));
  unreachable();
}

/** Called by the compiler where its own checks fail. */
export function abort(_message: string | null, _file: string | null, line: u32, column: u32): void {
  panic("The contract failed at " + line.toString() + ":" + column.toString());
}

export function require(condition: bool, message: string): void {
  if (!condition) panic(message);
}

export function inputText(): string {
  env.input(0);
  return registerText();
}

export function currentAccount(): string {
  env.current_account_id(0);
  return registerText();
}

export function predecessor(): string {
  env.predecessor_account_id(0);
  return registerText();
}

export function signer(): string {
  env.signer_account_id(0);
  return registerText();
}

export function deposit(): U128 {
  const bytes = new ArrayBuffer(16);
  env.attached_deposit(address(bytes));
  const at = changetype<usize>(bytes);
  return new U128(load<u64>(at), load<u64>(at, 8));
}

export function prepaidGas(): u64 {
  return env.prepaid_gas();
}

export function nowNs(): u64 {
  return env.block_timestamp();
}

export function answer(json: string): void {
  const bytes = utf8(json);
  env.value_return(bytes.byteLength, address(bytes));
}

export function log(line: string): void {
  const bytes = utf8(line);
  env.log_utf8(bytes.byteLength, address(bytes));
}

/** Logs an event in the form of NEP-297, which indexers read. */
export function logEvent(standard: string, version: string, event: string, data: string): void {
  log(
    'EVENT_JSON:{"standard":"' + standard + '","version":"' + version + '","event":"' + event + '","data":[' + data + "]}",
  );
}

/** Returns null if nothing is stored. */
export function stored(key: string): string | null {
  const bytes = utf8(key);
  if (env.storage_read(bytes.byteLength, address(bytes), 0) == 0) return null;
  return registerText();
}

export function store(key: string, value: string): void {
  const keyBytes = utf8(key);
  const bytes = utf8(value);
  env.storage_write(keyBytes.byteLength, address(keyBytes), bytes.byteLength, address(bytes), noRegister);
}

export function forget(key: string): void {
  const bytes = utf8(key);
  env.storage_remove(bytes.byteLength, address(bytes), noRegister);
}

/** Returns the storage cost since the contract used this many bytes: 10^19 yoctoNEAR for each. */
export function costSince(bytes: u64): U128 {
  const now = env.storage_usage();
  return now <= bytes ? new U128() : new U128(10_000_000_000_000_000_000).times(<u32>(now - bytes));
}

export function bytesUsed(): u64 {
  return env.storage_usage();
}

/** Returns a short name for a text of any length, for use in a key. */
export function digest(text: string): string {
  const bytes = utf8(text);
  env.sha256(bytes.byteLength, address(bytes), 0);
  const hash = Uint8Array.wrap(readRegister());
  let name = "";
  for (let at = 0; at < 20; at++) name += hash[at].toString(16).padStart(2, "0");
  return name;
}

function amountBytes(amount: U128): ArrayBuffer {
  const bytes = new ArrayBuffer(16);
  const at = changetype<usize>(bytes);
  // The memory of WebAssembly is little-endian, as the host expects it.
  i64.store(at, amount.lo);
  i64.store(at, amount.hi, 8);
  return bytes;
}

export function transfer(account: string, amount: U128): void {
  if (amount.isZero) return;
  const name = utf8(account);
  const promise = env.promise_batch_create(name.byteLength, address(name));
  env.promise_batch_action_transfer(promise, address(amountBytes(amount)));
}

function addCall(promise: u64, method: string, args: string, amount: U128, gas: u64): void {
  const name = utf8(method);
  const bytes = utf8(args);
  const attached = amountBytes(amount);
  env.promise_batch_action_function_call(
    promise,
    name.byteLength,
    address(name),
    bytes.byteLength,
    address(bytes),
    address(attached),
    gas,
  );
}

/** Calls another contract and returns the index of the promise. */
export function call(account: string, method: string, args: string, amount: U128, gas: u64): u64 {
  const name = utf8(account);
  const promise = env.promise_batch_create(name.byteLength, address(name));
  addCall(promise, method, args, amount, gas);
  return promise;
}

/** Calls this contract back with the result of a promise. */
export function callBack(after: u64, method: string, args: string, gas: u64): u64 {
  const name = utf8(currentAccount());
  const promise = env.promise_batch_then(after, name.byteLength, address(name));
  addCall(promise, method, args, new U128(), gas);
  return promise;
}

/** Makes the result of the promise the result of this method. */
export function answerWith(promise: u64): void {
  env.promise_return(promise);
}

/** Returns the awaited result of a callback; null if it failed. */
export function awaited(): string | null {
  if (env.promise_results_count() != 1 || env.promise_result(0, 0) != 1) return null;
  return registerText();
}

export function requireSelf(): void {
  require(predecessor() == currentAccount(), "Method is private");
}

/** The smallest possible deposit proves that a full-access key signed: others cannot attach money. */
export function requireOneYocto(): void {
  require(deposit().equals(new U128(1)), "Requires attached deposit of exactly 1 yoctoNEAR");
}
