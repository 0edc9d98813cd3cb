import { isObject } from '../../shared/is-object.ts';
import { t } from './messages/index.ts';

export interface ContractFunction {
  /** As rules name it: `sharesBalance(address,address)`. */
  signature: string;
  name: string;
  inputs: readonly FunctionInput[];
  /** Whether it says yes or no instead of a number. */
  isYesNo: boolean;
}

export interface FunctionInput {
  name: string;
  type: string;
}

/** Types of which a value is one text. */
const plainType = /^(?:address|bool|string|bytes\d{0,2}|u?int\d{0,3})$/;
const maxInputs = 8;

/** What to say of text that is no ABI. */
export class NotAnAbi extends Error {}

/**
 * The functions of an ABI that a rule can compare: views that take plain values and return a number or yes and no. Explorers
 * copy the list itself, build tools an object with the list in `abi`.
 */
export function readFunctions(text: string): { functions: ContractFunction[]; left: number } {
  const abi = parseAbi(text);
  const views = abi.filter(
    (one) =>
      isObject(one) &&
      one.type === 'function' &&
      (one.stateMutability === 'view' || one.stateMutability === 'pure' || one.constant === true),
  );
  const functions = views.flatMap((one) => (isObject(one) ? (readFunction(one) ?? []) : []));
  return {
    functions: functions.toSorted((a, b) => (a.signature < b.signature ? -1 : 1)),
    left: views.length - functions.length,
  };
}

function parseAbi(text: string): readonly unknown[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new NotAnAbi(t('function.notAbi'));
  }
  const list = isObject(value) ? value.abi : value;
  if (!Array.isArray(list)) throw new NotAnAbi(t('function.noList'));
  return list;
}

function readFunction({ name, inputs, outputs }: Readonly<Record<string, unknown>>): ContractFunction | undefined {
  if (typeof name !== 'string' || !/^[A-Za-z_$][\w$]{0,99}$/.test(name)) return undefined;
  const [takes, gives] = [readInputs(inputs), readInputs(outputs)];
  const [first] = gives ?? [];
  // A negative number would be taken for a very large one.
  const isComparable = first !== undefined && /^(?:bool|uint\d{0,3})$/.test(first.type);
  if (takes === undefined || !isComparable || takes.length > maxInputs) return undefined;
  if (!takes.every(({ type }) => plainType.test(type))) return undefined;
  const signature = `${name}(${takes.map(({ type }) => type).join(',')})`;
  return { signature, name, inputs: takes, isYesNo: first.type === 'bool' };
}

function readInputs(list: unknown): FunctionInput[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const inputs = list.map((one: unknown) =>
    isObject(one) && typeof one.type === 'string'
      ? { type: one.type, name: typeof one.name === 'string' ? one.name : '' }
      : undefined,
  );
  return inputs.every((input) => input !== undefined) ? inputs : undefined;
}

/** The inputs of a function by the text that a rule names it with; undefined for text that is none. */
export function inputsOf(signature: string): FunctionInput[] | undefined {
  const [, types] = /^[A-Za-z_$][\w$]*(?:\(([\w$ ,[\]]*)\))?$/.exec(signature.trim()) ?? [];
  if (!/^[A-Za-z_$]/.test(signature.trim())) return undefined;
  if (types === undefined) return signature.includes('(') ? undefined : [{ name: '', type: 'address' }];
  const named = types.split(',').map((type) => type.trim());
  return named.filter((type) => type !== '').map((type) => ({ name: '', type }));
}

/** Stands for the member’s wallet among the arguments of a function. */
export const theWallet = '$account';

/** The arguments that a new choice of function starts with: the first address is the member’s. */
export function startArguments(inputs: readonly FunctionInput[]): string[] {
  const first = inputs.findIndex(({ type }) => type === 'address');
  return inputs.map(({ type }, index) => (index === first ? theWallet : type === 'bool' ? 'true' : ''));
}
