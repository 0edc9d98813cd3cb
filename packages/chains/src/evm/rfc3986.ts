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

// The grammar of IPv6 addresses is left to Node; a zone, which it also takes, cannot get past the letters above.
function isHost(literal: string | undefined): boolean {
  return literal === undefined || isIPv6(literal) || futureAddress.test(literal);
}

/** Whether the text is an authority of RFC 3986 that names a host. */
export function isAuthority(text: string): boolean {
  const groups = wholeAuthority.exec(text)?.groups;
  return groups !== undefined && groups.name !== '' && isHost(groups.literal);
}

/** Whether the text is a URI of RFC 3986, with its scheme. */
export function isUri(text: string): boolean {
  const groups = wholeUri.exec(text)?.groups;
  return groups !== undefined && isHost(groups.literal);
}

export const schemePattern: string = scheme;
export const pathLetters = new RegExp(`^${pchar}*$`);
export const statementLetters = new RegExp(`^[${unreserved}${subDelims}:/?#\\[\\]@ ]+$`);
