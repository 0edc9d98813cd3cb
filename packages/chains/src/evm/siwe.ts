import { isIPv6 } from 'node:net';
import { normalizeEvmAddress } from './address.ts';

const unreserved = 'A-Za-z0-9\\-._~';

const subDelims = "!$&'()*+,;=";

const encoded = '%[0-9A-Fa-f]{2}';

const pchar = `(?:[${unreserved}${subDelims}:@]|${encoded})`;

const scheme = '[A-Za-z][A-Za-z0-9+.\\-]*';

const userinfo = `(?:[${unreserved}${subDelims}:]|${encoded})*@`;

const ipLiteral = `\\[(?<literal>[${unreserved}${subDelims}:]+)\\]`;

const regName = `(?:[${unreserved}${subDelims}]|${encoded})*`;

const authority = `(?:${userinfo})?(?:${ipLiteral}|(?<name>${regName}))(?::[0-9]*)?`;

const rooted = `(?:/${pchar}*)*`;

const hierPart = `//${authority}${rooted}|/?${pchar}+${rooted}|/`;

const tail = `(?:${pchar}|[/?])*`;

const wholeAuthority = new RegExp(`^${authority}$`);

const wholeUri = new RegExp(`^${scheme}:(?:${hierPart})?(?:\\?${tail})?(?:#${tail})?$`);

const futureAddress = /^v[0-9A-Fa-f]+\../;

// IPv6 addresses are parsed by Node. It also accepts a zone, but the characters allowed above exclude one.
function isHost(literal: string | undefined): boolean {
  return literal === undefined || isIPv6(literal) || futureAddress.test(literal);
}

/** Whether the text is an RFC 3986 authority with a host. */
function isAuthority(text: string): boolean {
  const groups = wholeAuthority.exec(text)?.groups;
  return groups !== undefined && groups.name !== '' && isHost(groups.literal);
}

/** Whether the text is an RFC 3986 URI with a scheme. */
function isUri(text: string): boolean {
  const groups = wholeUri.exec(text)?.groups;
  return groups !== undefined && isHost(groups.literal);
}

export const schemePattern: string = scheme;

const pathLetters = new RegExp(`^${pchar}*$`);

const statementLetters = new RegExp(`^[${unreserved}${subDelims}:/?#\\[\\]@ ]+$`);

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

const layout = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

/** Parses an RFC 3339 date-time to milliseconds since 1970; undefined for other text and dates that do not exist. */
function parseDateTime(text: string): number | undefined {
  const date = layout.exec(text)?.[1];
  if (date === undefined) return undefined;
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // JavaScript parses 31 February as 3 March; only a date that exists survives the round trip.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  return Date.parse(text);
}

/** What a sign-in message must match. */
export interface SiweExpectation {
  /** The host that the user visited: a message for another site must not sign in here. */
  domain: string;
  /** The nonce that this server issued. Consume it before or together with this check. */
  nonce: string;
  now: Date;
  address?: string | undefined;
  chainId?: number | undefined;
}

/** Returns why a sign-in message is refused, or undefined if its fields match and it is within its validity period. */
export function findSiweMismatch(fields: SiweFields, expected: SiweExpectation): string | undefined {
  const now = expected.now.getTime();
  if (fields.domain !== expected.domain) return 'The message is for another domain.';
  if (fields.nonce !== expected.nonce) return 'The message has a different nonce.';
  if (expected.address !== undefined && fields.address !== expected.address)
    return 'The message is for another address.';
  if (expected.chainId !== undefined && fields.chainId !== expected.chainId) return 'The message is for another chain.';
  const expiresAt = parseDateTime(fields.expirationTime ?? '');
  if (expiresAt !== undefined && !(now < expiresAt)) return 'The message has expired.';
  const startsAt = parseDateTime(fields.notBefore ?? '');
  if (startsAt !== undefined && !(now >= startsAt)) return 'The message is not valid yet.';
  return undefined;
}
