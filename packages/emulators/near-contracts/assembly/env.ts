// The host functions of NEAR's virtual machine that these contracts use, by the names and types that nearcore gives them.
// Texts and bytes are passed as length and pointer; results are returned in numbered registers.

@external("env", "input") export declare function input(register: u64): void;
@external("env", "read_register") export declare function read_register(register: u64, ptr: u64): void;
@external("env", "register_len") export declare function register_len(register: u64): u64;
@external("env", "current_account_id") export declare function current_account_id(register: u64): void;
@external("env", "predecessor_account_id") export declare function predecessor_account_id(register: u64): void;
@external("env", "signer_account_id") export declare function signer_account_id(register: u64): void;
@external("env", "attached_deposit") export declare function attached_deposit(ptr: u64): void;
@external("env", "block_timestamp") export declare function block_timestamp(): u64;
@external("env", "prepaid_gas") export declare function prepaid_gas(): u64;
@external("env", "storage_usage") export declare function storage_usage(): u64;
@external("env", "storage_read") export declare function storage_read(keyLength: u64, key: u64, register: u64): u64;
@external("env", "storage_write")
export declare function storage_write(keyLength: u64, key: u64, valueLength: u64, value: u64, register: u64): u64;
@external("env", "storage_remove") export declare function storage_remove(keyLength: u64, key: u64, register: u64): u64;
@external("env", "sha256") export declare function sha256(length: u64, ptr: u64, register: u64): void;
@external("env", "value_return") export declare function value_return(length: u64, ptr: u64): void;
@external("env", "panic_utf8") export declare function panic_utf8(length: u64, ptr: u64): void;
@external("env", "log_utf8") export declare function log_utf8(length: u64, ptr: u64): void;
@external("env", "promise_batch_create") export declare function promise_batch_create(length: u64, account: u64): u64;
@external("env", "promise_batch_then")
export declare function promise_batch_then(promise: u64, length: u64, account: u64): u64;
@external("env", "promise_batch_action_transfer")
export declare function promise_batch_action_transfer(promise: u64, amount: u64): void;
@external("env", "promise_batch_action_function_call")
export declare function promise_batch_action_function_call(
  promise: u64,
  methodLength: u64,
  method: u64,
  argsLength: u64,
  args: u64,
  amount: u64,
  gas: u64,
): void;
@external("env", "promise_return") export declare function promise_return(promise: u64): void;
@external("env", "promise_results_count") export declare function promise_results_count(): u64;
@external("env", "promise_result") export declare function promise_result(index: u64, register: u64): u64;
