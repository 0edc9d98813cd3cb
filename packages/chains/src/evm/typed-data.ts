import { isObject, readInput } from '@latchkey/kernel';
import { hashTypedData } from 'viem/utils';

type TypedData = Parameters<typeof hashTypedData>[0];
type Types = Record<string, { name: string; type: string }[]>;

interface Shape {
  types: Types;
  primaryType: string;
  domain: Record<string, unknown>;
  message: unknown;
}

const hasExactly = (value: unknown, names: readonly string[]) =>
  isObject(value) && Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));

const isMember = (value: unknown) =>
  isObject(value) && typeof value.name === 'string' && typeof value.type === 'string';
const builtIn = /^(?:address|bool|string|bytes\d{0,2}|u?int\d{0,3})$/;

// viem checks that values match their types while hashing, as far as it knows the type.
function hasShape(data: unknown): data is Shape {
  if (!isObject(data) || !hasExactly(data, ['types', 'primaryType', 'domain', 'message'])) return false;
  const { types, primaryType, domain } = data;
  const areLists = isObject(types) && Object.values(types).every((list) => Array.isArray(list) && list.every(isMember));
  return areLists && typeof primaryType === 'string' && isObject(domain);
}

function asTypedData(data: Shape): TypedData {
  return data as TypedData; // viem derives the type of the values from a constant, which this is not.
}

/**
 * Walks a value along its type and collects the types. Returns false if a struct has members that its type does not declare: they would be
 * shown, but not signed.
 */
function matchesType(types: Types, type: string, value: unknown, met: Set<string>): boolean {
  const [, element] = /^(.+)\[\d*\]$/.exec(type) ?? [];
  if (element !== undefined) {
    return Array.isArray(value) && value.every((item) => matchesType(types, element, item, met));
  }
  const members = Object.hasOwn(types, type) ? types[type] : undefined;
  if (members === undefined) return builtIn.test(type) && ['string', 'number', 'boolean'].includes(typeof value);
  if (!isObject(value)) return false;
  met.add(type);
  const names = members.map(({ name }) => name);
  return hasExactly(value, names) && members.every(({ name, type: own }) => matchesType(types, own, value[name], met));
}

function isWhollySigned({ types, primaryType, domain, message }: Shape): boolean {
  const met = new Set<string>();
  const matches = matchesType(types, 'EIP712Domain', domain, met) && matchesType(types, primaryType, message, met);
  return matches && met.has('EIP712Domain') && met.has(primaryType) && hasExactly(types, [...met]);
}

/** Returns the hash that eth_signTypedData signs (EIP-712) for typed data of this chain, or undefined for anything else. */
export function typedDataHash(data: unknown, chain: string): Uint8Array | undefined {
  if (hasShape(data) && Object.hasOwn(data.domain, 'chainId') && String(data.domain.chainId) !== chain)
    return undefined;
  return wholeTypedDataHash(data);
}

/** Returns the same hash for typed data of any chain. */
export function wholeTypedDataHash(data: unknown): Uint8Array | undefined {
  if (!hasShape(data) || !isWhollySigned(data)) return undefined;
  const hash = readInput(() => hashTypedData(asTypedData(data)));
  return hash && Buffer.from(hash.slice(2), 'hex');
}

/** Parses typed data from canonical JSON: no spaces, no duplicate keys, numbers and letters unescaped. */
export function parseTypedData(text: string): unknown {
  const data: unknown = readInput(() => JSON.parse(text));
  return JSON.stringify(data) === text ? data : undefined;
}
