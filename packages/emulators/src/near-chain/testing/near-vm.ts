import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { artifactFolder } from './compile-near-contracts.ts';

export interface Step {
  by: string;
  /** The signer of the transaction; defaults to the caller. */
  signer?: string;
  method: string;
  args?: object;
  deposit?: bigint;
  isView?: boolean;
}

/** The outcome of a step, in the same format for every host that runs it. Amounts and gas are decimal digits. */
export interface StepOutcome {
  value: string;
  logs: readonly string[];
  receipts: readonly { receiver: string; after: readonly number[]; actions: readonly object[] }[];
  /** The receipt whose result is the method's result. */
  returned: number | undefined;
}

export const prepaidGas = 150_000_000_000_000;
export const blockTimestamp = 1_700_000_000_000_000_000n;
const key = 'HuxUynD5GdrcZ5MauxJuu74sGHgS6wLfCqqhQkLWK';
const require = createRequire(import.meta.url);

/** Loads a separate machine: after a refusal, a machine reports no more reasons, because a Rust panic happens only once. */
function loadMachine(): typeof import('near-mock-vm/pkg/near_mock_vm.js') {
  const file = require.resolve('near-mock-vm/pkg/near_mock_vm.js');
  delete require.cache[file];
  return require(file);
}

const base64 = (text: string) => Buffer.from(text).toString('base64');

/**
 * Opens a compiled contract on NEAR's own VM logic: the registers, storage, promises and checks of nearcore's `near-vm-logic`, in Rust, as
 * `near-mock-vm` publishes them. It counts no gas for instructions.
 */
export function openNearVm(contract: string, account: string) {
  const { VM, inject_contract: prepare } = loadMachine();
  const memory = new WebAssembly.Memory({ initial: 1024, maximum: 2048 });
  const bytes = () => new Uint8Array(memory.buffer);
  const vm = new VM(
    {
      current_account_id: account,
      signer_account_id: account,
      signer_account_pk: key,
      predecessor_account_id: account,
      input: base64('{}'),
      block_index: 10,
      block_timestamp: 0,
      epoch_height: 1,
      account_balance: String(10n ** 26n),
      account_locked_balance: '0',
      storage_usage: 0,
      attached_deposit: '0',
      prepaid_gas: prepaidGas,
      random_seed: key,
      is_view: false,
      output_data_receivers: [],
    },
    {
      fits_memory: (at: bigint, length: bigint) => Number(at) + Number(length) <= memory.buffer.byteLength,
      read_memory: (at: bigint, into: Uint8Array) => into.set(bytes().subarray(Number(at), Number(at) + into.length)),
      read_memory_u8: (at: bigint) => bytes()[Number(at)],
      write_memory: (at: bigint, from: Uint8Array) => bytes().set(from, Number(at)),
    },
  );
  // Like nodes, it replaces the memory of the contract with one of the host.
  const code = new Uint8Array(prepare(readFileSync(join(artifactFolder, `${contract}.wasm`))));
  const module = new WebAssembly.Module(code);
  const host = Object.fromEntries(
    WebAssembly.Module.imports(module)
      .filter(({ kind }) => kind === 'function')
      .map(({ name }) => [name, (...given: unknown[]) => Reflect.apply(Reflect.get(vm, name), vm, given)]),
  );

  const run = ({ by, signer = by, method, args = {}, deposit = 0n, isView = false }: Step): StepOutcome => {
    vm.set_input(base64(JSON.stringify(args)));
    vm.set_predecessor_account_id(by);
    vm.set_signer_account_id(signer);
    vm.set_attached_deposit(String(deposit));
    vm.set_prepaid_gas(BigInt(prepaidGas));
    vm.set_block_timestamp(blockTimestamp);
    vm.set_is_view(isView);
    bytes().fill(0);
    const { exports } = new WebAssembly.Instance(module, { env: { memory, ...host } });
    const called = exports[method];
    if (typeof called !== 'function') throw new Error(`The contract has no method ${method}.`);
    called();
    return readOutcome(vm.outcome(), String(vm.created_receipts()));
  };
  return { run };
}

/** Returns the message with which a contract refuses a step. A machine that has refused cannot run anything else. */
export function refusalOf(run: () => unknown): string | undefined {
  const written: string[] = [];
  const { error } = console;
  // The machine ends like any Rust program: it writes its reason only to the console.
  console.error = (...words) => void written.push(words.join(' '));
  try {
    run();
    return undefined;
  } catch {
    return /GuestPanic \{ panic_msg: "((?:[^"\\]|\\.)*)" \}/.exec(written.join('\n'))?.[1]?.replaceAll("\\'", "'");
  } finally {
    console.error = error;
  }
}

function readOutcome(outcome: unknown, receipts: string): StepOutcome {
  const { return_data: data, logs } = Object(outcome);
  // Amounts are JSON numbers that exceed doubles.
  const exact = receipts.replace(/"(deposit|gas)":(\d+)/g, '"$1":"$2"');
  return {
    value: data?.Value ?? '',
    logs,
    receipts: (JSON.parse(exact) as { receiver_id: string; receipt_indices: number[]; actions: object[] }[]).map(
      ({ receiver_id: receiver, receipt_indices: after, actions }) => ({ receiver, after, actions }),
    ),
    returned: data?.ReceiptIndex,
  };
}
