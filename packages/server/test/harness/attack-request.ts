import type { Dice } from './dice.ts';
import { hostileBodies, hostileTexts, oversizedBody } from './hostile-values.ts';
import { omitted } from './raw-http.ts';
import type { WireRequest } from './write-request.ts';

/** Corrupts a serialized request in ways that no ordinary client would. */
type Attack = (request: WireRequest, dice: Dice) => WireRequest;

const attacks: readonly Attack[] = [
  replaceBody,
  replaceBody,
  replaceBody,
  spliceIntoJson,
  breakTarget,
  breakTarget,
  stuffQuery,
  oddHeader,
  oddHeader,
  oddContentType,
  otherMethod,
];

export function attackRequest(request: WireRequest, dice: Dice): WireRequest {
  let spoilt = request;
  for (let count = 1 + dice.below(2); count > 0; count--) spoilt = dice.pick(attacks)(spoilt, dice);
  return spoilt;
}

function replaceBody(request: WireRequest, dice: Dice): WireRequest {
  const body = dice.chance(0.02) ? oversizedBody : dice.pick(hostileBodies);
  const headers =
    request.body === undefined ? [...request.headers, ['content-type', 'application/json'] as const] : request.headers;
  return { ...request, headers, body: Buffer.from(body) };
}

const splices = [
  '"n":1e400',
  '"__proto__":{}',
  '"name":"twice","name":"twice"',
  '"x":"\\u0000"',
  '"x":"\\ud800"',
  '"x":[[[[[[1]]]]]]',
];

/** Inserts something that JSON.stringify would never write into an otherwise valid body. */
function spliceIntoJson(request: WireRequest, dice: Dice): WireRequest {
  const text = Buffer.from(request.body ?? '').toString();
  if (!text.startsWith('{') || text === '{}') return replaceBody(request, dice);
  return { ...request, body: Buffer.from(`{${dice.pick(splices)},${text.slice(1)}`) };
}

const suffixes = [
  '%',
  '%zz',
  '%00',
  '%c0%ae',
  '%ff',
  '%ED%A0%80',
  '/',
  '//',
  '/..',
  '/.',
  '/%2e%2e/%2e%2e/',
  ';a=b',
  '\\',
  '#top',
  '?',
  '&',
  '%20',
  '%0d%0a',
  '/*',
  '.json',
  '%2f',
];

function breakTarget(request: WireRequest, dice: Dice): WireRequest {
  const { target } = request;
  const at = 1 + dice.below(target.length);
  const targets = [
    target + dice.pick(suffixes),
    target.slice(0, at) + dice.pick(suffixes) + target.slice(at),
    target.slice(0, at),
    target.toUpperCase(),
    `/${target}`,
    `http://evil.example${target}`,
    target.replace(/[a-z]/g, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    `${target}/${'x'.repeat(1 + dice.below(6_000))}`,
    target.replace(/[^/]*$/, 'x'.repeat(4_097 + dice.below(2_000))),
    '*',
  ];
  return { ...request, target: dice.pick(targets) };
}

const queries = [
  '__proto__[x]=1',
  'constructor=1',
  'limit[]=1',
  'limit=1&limit=2',
  'a=%',
  'a=%ff',
  'wait=NaN',
  '=',
  '&&&',
  '[]',
  'paginationToken=',
  '_method=DELETE',
];

function stuffQuery(request: WireRequest, dice: Dice): WireRequest {
  const stuffing = dice.chance(0.1)
    ? Array.from({ length: 500 }, (_item, n) => `a${n}=1`).join('&')
    : dice.pick(queries);
  return { ...request, target: `${request.target}${request.target.includes('?') ? '&' : '?'}${stuffing}` };
}

const oddHeaders: readonly (readonly [string, string])[] = [
  ['host', omitted],
  ['host', 'evil.example'],
  ['host', ''],
  ['expect', '100-continue'],
  ['expect', '200-maybe'],
  ['upgrade', 'websocket'],
  ['content-encoding', 'gzip'],
  ['transfer-encoding', 'chunked'],
  ['transfer-encoding', 'gzip, chunked'],
  ['content-length', '-1'],
  ['content-length', '1e3'],
  ['accept', 'application/xml'],
  ['accept-encoding', '*;q=0'],
  ['range', 'bytes=0-1'],
  ['if-match', '"x"'],
  ['origin', 'null'],
  ['origin', 'https://evil.example'],
  ['access-control-request-method', 'DELETE'],
  ['x-http-method-override', 'DELETE'],
  ['x-forwarded-host', 'evil.example'],
  ['x-request-id', '<script>alert(1)</script>'],
  ['x-request-id', 'x'.repeat(5_000)],
  ['x-original-url', '/log/settings'],
  ['authorization', 'Bearer a, Bearer b'],
  ['cookie', 'a=b; __proto__=c'],
  ['x-long', 'x'.repeat(17_000)],
  ['x-control', 'a\u0001b'],
  ['x-high', 'caf\u00e9 \u65e5\u672c'],
  ['bad name', 'x'],
  ['', 'x'],
];

function oddHeader(request: WireRequest, dice: Dice): WireRequest {
  if (dice.chance(0.05)) {
    const many = Array.from({ length: 300 }, (_item, n) => [`x-many-${n}`, 'x'] as const);
    return { ...request, headers: [...request.headers, ...many] };
  }
  return { ...request, headers: [...request.headers, dice.pick(oddHeaders)] };
}

const types = [
  'text/plain',
  'text/html',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/jsonx',
  'application/json, text/plain',
  'json',
  '',
  ';',
  'APPLICATION/JSON',
  'x/'.repeat(200),
];

function oddContentType(request: WireRequest, dice: Dice): WireRequest {
  const others = request.headers.filter(([name]) => name !== 'content-type');
  return { ...request, headers: dice.chance(0.2) ? others : [...others, ['content-type', dice.pick(types)]] };
}

const methods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'PURGE',
  'get',
  'FOO',
  'GET\t',
];

function otherMethod(request: WireRequest, dice: Dice): WireRequest {
  return { ...request, method: dice.pick(methods) };
}

/** Returns a token with a single bit changed. */
export function flipBit(token: string, dice: Dice): string {
  const bytes = Buffer.from(token, 'latin1');
  const at = dice.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << dice.below(7));
  return dice.chance(0.9) ? bytes.toString('latin1') : dice.pick(hostileTexts);
}
