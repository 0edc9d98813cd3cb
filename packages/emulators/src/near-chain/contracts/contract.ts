import type { Action } from '../transaction.ts';

/** What a contract says when it gives up. Undoes the whole receipt. */
export class ContractPanic extends Error {}

export function panic(message: string): never {
  throw new ContractPanic(message);
}

export function require(condition: boolean, message: string): asserts condition {
  if (!condition) panic(message);
}

/** What a contract keeps. Values are replaced, never changed in place. */
export interface Storage {
  get<Value>(key: string): Value | undefined;
  /** Undefined forgets the key. */
  set(key: string, value: unknown): void;
}

export interface ReadStorage {
  get<Value>(key: string): Value | undefined;
}

export type Args = Readonly<Record<string, unknown>>;

/** What a view method knows. */
export interface View {
  /** The account the contract lives at. */
  account: string;
  args: Args;
  storage: ReadStorage;
  timestampNs: bigint;
}

/** Work that was asked of another account. Returned from a method, its result becomes the method's own. */
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

/** What a method knows and may do. */
export interface Call extends View {
  storage: Storage;
  predecessor: string;
  signer: string;
  signerPublicKey: string;
  deposit: bigint;
  /** What was attached to this call, in units of 10^12. */
  teraGas: number;
  /** The results that a callback was waiting for; undefined for what failed. */
  results: readonly (Uint8Array | undefined)[];
  log(line: string): void;
  /** Asks another contract for something. */
  call(contract: string, method: string, args: Args, options: CallOptions): Promised;
  /** Calls this contract back with the result of what was asked. */
  callBack(after: Promised, method: string, args: Args, options: CallOptions): Promised;
  transfer(account: string, amount: bigint): Promised;
  /** Several actions on one account, done together or not at all. */
  batch(account: string, actions: readonly Action[]): Promised;
}

/** A contract that runs as TypeScript. A method answers with JSON, with bytes, with a promise or with nothing. */
export interface Contract {
  views: Readonly<Record<string, (view: View) => unknown>>;
  methods: Readonly<Record<string, (call: Call) => unknown>>;
}

/** An event in the form of NEP-297, which indexers read from the logs. */
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

/** A whole number of 128 bits, which travels as decimal text. */
export function amountArg(args: Args, name: string): bigint {
  const value = textArg(args, name);
  require(/^\d{1,39}$/.test(value), `invalid amount in \`${name}\``);
  return BigInt(value);
}

/** The smallest deposit there is shows that a key with full access signed: others cannot attach money. */
export function requireOneYocto({ deposit }: Pick<Call, 'deposit'>): void {
  require(deposit === 1n, 'Requires attached deposit of exactly 1 yoctoNEAR');
}

export function requireSelf({ predecessor, account }: Pick<Call, 'predecessor' | 'account'>): void {
  require(predecessor === account, 'Method is private');
}

/** The JSON of a result; undefined when it failed or is none. */
export function readResult(result: Uint8Array | undefined): unknown {
  if (result === undefined || result.length === 0) return undefined;
  try {
    return JSON.parse(Buffer.from(result).toString('utf8'));
  } catch {
    return undefined;
  }
}
