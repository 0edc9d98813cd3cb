import type { Action } from '../transaction.ts';

/** The message with which a contract aborts. Rolls back the whole receipt. */
export class ContractPanic extends Error {}

export function panic(message: string): never {
  throw new ContractPanic(message);
}

export function require(condition: boolean, message: string): asserts condition {
  if (!condition) panic(message);
}

/** The storage of a contract. Values are replaced, never changed in place. */
export interface Storage {
  get<Value>(key: string): Value | undefined;
  /** Undefined deletes the key. */
  set(key: string, value: unknown): void;
}

export interface ReadStorage {
  get<Value>(key: string): Value | undefined;
}

export type Args = Readonly<Record<string, unknown>>;

/** The context of a view method. */
export interface View {
  /** The account of the contract. */
  account: string;
  args: Args;
  storage: ReadStorage;
  timestampNs: bigint;
}

/** A call to another account. Returned from a method, its result becomes the method's own. */
export class Promised {
  readonly index: number;
  constructor(index: number) {
    this.index = index;
  }
}

export interface CallOptions {
  deposit?: bigint;
  teraGas: number;
}

/** The context of a method, and what it may do. */
export interface Call extends View {
  storage: Storage;
  predecessor: string;
  signer: string;
  signerPublicKey: string;
  deposit: bigint;
  /** The attached gas, in units of 10^12. */
  teraGas: number;
  /** The awaited results of a callback; undefined for failures. */
  results: readonly (Uint8Array | undefined)[];
  log(line: string): void;
  /** Calls another contract. */
  call(contract: string, method: string, args: Args, options: CallOptions): Promised;
  /** Calls this contract back with the result of a call. */
  callBack(after: Promised, method: string, args: Args, options: CallOptions): Promised;
  transfer(account: string, amount: bigint): Promised;
  /** Runs several actions on one account, all or none. */
  batch(account: string, actions: readonly Action[]): Promised;
}

/** A contract implemented in TypeScript. A method returns JSON, bytes, a promise or nothing. */
export interface Contract {
  views: Readonly<Record<string, (view: View) => unknown>>;
  methods: Readonly<Record<string, (call: Call) => unknown>>;
}

/** Logs an event in the form of NEP-297, which indexers read. */
export function logEvent(
  call: Pick<Call, 'log'>,
  [standard, version]: readonly [string, string],
  event: string,
  data: unknown,
): void {
  call.log(`EVENT_JSON:${JSON.stringify({ standard, version, event, data })}`);
}

export function textArg(args: Args, name: string): string {
  const value = args[name];
  if (typeof value !== 'string') panic(`missing field \`${name}\``);
  return value;
}

export function optionalText(args: Args, name: string): string | undefined {
  return args[name] === undefined || args[name] === null ? undefined : textArg(args, name);
}

/** Parses a 128-bit integer, which is sent as a decimal string. */
export function amountArg(args: Args, name: string): bigint {
  const value = textArg(args, name);
  require(/^\d{1,39}$/.test(value), `invalid amount in \`${name}\``);
  return BigInt(value);
}

/** The smallest possible deposit proves that a full-access key signed: others cannot attach money. */
export function requireOneYocto({ deposit }: Pick<Call, 'deposit'>): void {
  require(deposit === 1n, 'Requires attached deposit of exactly 1 yoctoNEAR');
}

export function requireSelf({ predecessor, account }: Pick<Call, 'predecessor' | 'account'>): void {
  require(predecessor === account, 'Method is private');
}

/** Returns the JSON of a result; undefined if it failed or is not JSON. */
export function readResult(result: Uint8Array | undefined): unknown {
  if (result === undefined || result.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(result).toString('utf8'));
  } catch {
    return undefined;
  }
}
