import { isIPv6 } from 'node:net';

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
export function isAuthority(text: string): boolean {
  const groups = wholeAuthority.exec(text)?.groups;
  return groups !== undefined && groups.name !== '' && isHost(groups.literal);
}

/** Whether the text is an RFC 3986 URI with a scheme. */
export function isUri(text: string): boolean {
  const groups = wholeUri.exec(text)?.groups;
  return groups !== undefined && isHost(groups.literal);
}

export const schemePattern: string = scheme;
export const pathLetters = new RegExp(`^${pchar}*$`);
export const statementLetters = new RegExp(`^[${unreserved}${subDelims}:/?#\\[\\]@ ]+$`);
