/** Typed data (EIP-712) all of whose members are covered by its types, as verified when it was hashed. */
export interface TypedData {
  types: Readonly<Record<string, readonly { name: string; type: string }[]>>;
  primaryType: string;
  domain: Readonly<Record<string, unknown>>;
  message: Readonly<Record<string, unknown>>;
}

/** Parses typed data that has a digest; nothing else is guaranteed to have this form. */
export function readTypedData(json: string): TypedData {
  return JSON.parse(json);
}

/** Deeper than any real typed data; deeper levels are mentioned but not shown. */
export const maxDepth = 32;

const evmAddress = /^0x[0-9a-fA-F]{40}$/;

export function asAddress(value: unknown): string | undefined {
  return typeof value === 'string' && evmAddress.test(value) ? value.toLowerCase() : undefined;
}

/** Parses an integer in any form that JSON allows. */
export function asInteger(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || !/^(0x[0-9a-fA-F]{1,64}|-?[0-9]{1,78})$/.test(value)) return undefined;
  return BigInt(value);
}
