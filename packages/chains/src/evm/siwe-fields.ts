import { normalizeEvmAddress } from './address.ts';
import { parseDateTime } from './rfc3339.ts';
import { isAuthority, isUri, pathLetters, schemePattern, statementLetters } from './rfc3986.ts';

/** The fields of a Sign-In with Ethereum message (EIP-4361), every value as written in the text. */
export interface SiweFields {
  scheme?: string | undefined;
  domain: string;
  /** In EIP-55 form. */
  address: string;
  statement?: string | undefined;
  uri: string;
  version: '1';
  chainId: number;
  nonce: string;
  issuedAt: string;
  expirationTime?: string | undefined;
  notBefore?: string | undefined;
  requestId?: string | undefined;
  resources?: readonly string[] | undefined;
}

type Rule = (value: unknown) => boolean;

const text = (isGood: (value: string) => boolean): Rule => {
  return (value) => typeof value === 'string' && isGood(value);
};
const optional = (rule: Rule): Rule => {
  return (value) => value === undefined || rule(value);
};
const dateTime = text((value) => parseDateTime(value) !== undefined);
const wholeScheme = new RegExp(`^${schemePattern}$`);

const rules: { readonly [Name in keyof Required<SiweFields>]: Rule } = {
  scheme: optional(text((value) => wholeScheme.test(value))),
  domain: text(isAuthority),
  address: text((value) => normalizeEvmAddress(value) === value),
  statement: optional(text((value) => statementLetters.test(value))),
  uri: text(isUri),
  version: (value) => value === '1',
  chainId: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  nonce: text((value) => /^[A-Za-z0-9]{8,}$/.test(value)),
  issuedAt: dateTime,
  expirationTime: optional(dateTime),
  notBefore: optional(dateTime),
  requestId: optional(text((value) => pathLetters.test(value))),
  resources: optional((value) => Array.isArray(value) && value.every(text(isUri))),
};

/** Returns the name of the first field that violates EIP-4361, or undefined if all are valid. */
export function findFaultyField(fields: Readonly<Record<string, unknown>>): string | undefined {
  return Object.entries(rules).find(([name, isRight]) => !isRight(fields[name]))?.[0];
}
