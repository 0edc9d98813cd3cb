import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { bound } from '@latchkey/test-kit';
import { problemsOf } from '../harness/check-answer.ts';
import { codeOf } from '../harness/error-shape.ts';
import { nest, oversizedBody } from '../harness/hostile-values.ts';
import { omitted, type RawAnswer, sendRaw } from '../harness/raw-http.ts';
import { startTestServer, type TestServer } from '../harness/test-server.ts';
import type { WireRequest } from '../harness/write-request.ts';

/** The longest that one request may keep the server busy. */
const promisedMs = 2_000;

const keys = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_item, n) => [`k${n}`, n])));

// Just below the length at which a number is no longer finite: slow for a careless pattern.
const longNumbers = JSON.stringify({ a: Array.from({ length: 3_300 }, () => '9'.repeat(299)).join() });

/** Bodies for an operation that accepts any JSON object. */
const bodies: Readonly<Record<string, [body: string | Uint8Array, status: number, code: string]>> = {
  'larger than a megabyte': [oversizedBody, 413, 'BODY_TOO_LARGE'],
  'with a number of 900,000 digits': [`{"n":${'9'.repeat(900_000)}}`, 400, 'INVALID_BODY'],
  'with a text of 900,000 digits': [`{"n":"${'9'.repeat(900_000)}"}`, 413, 'BODY_TOO_LARGE'],
  'with thousands of long numbers in a text': [longNumbers, 413, 'BODY_TOO_LARGE'],
  'nested too deeply': [JSON.stringify({ a: nest(64) }), 400, 'INVALID_BODY'],
  'nested without end': ['{"a":'.repeat(150_000), 400, 'INVALID_BODY'],
  'with ten thousand keys': [keys(10_000), 400, 'INVALID_BODY'],
  'with a key twice': ['{"a":1,"a":2}', 400, 'INVALID_BODY'],
  'with __proto__': ['{"__proto__":{"isAdmin":true}}', 400, 'INVALID_BODY'],
  'with a NUL': ['{"a":"\\u0000"}', 400, 'INVALID_BODY'],
  'with half a character': ['{"a":"\\ud800"}', 400, 'INVALID_BODY'],
  'with an endless number': ['{"a":1e400}', 400, 'INVALID_BODY'],
  'that is no UTF-8': [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 400, 'INVALID_BODY'],
  'that is no JSON': ["{'a':1}", 400, 'INVALID_BODY'],
  'that is empty': ['', 400, 'INVALID_BODY'],
  'that is no object': ['[]', 422, 'VALIDATION_FAILED'],
};

type Change = Partial<WireRequest>;
const json = (type: string): Change => ({
  method: 'POST',
  target: '/states',
  headers: [['content-type', type]],
  body: Buffer.from('{}'),
});

/** Requests that are unusual in another way. */
const requests: Readonly<Record<string, [request: Change, status: number, code: string]>> = {
  'a body of another type': [json('text/plain'), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  'a body of no type': [json(''), 415, 'UNSUPPORTED_MEDIA_TYPE'],
  'no host': [{ headers: [['host', omitted]] }, 400, 'MISSING_REQUIRED_PARAMETER'],
  'headers without end': [{ headers: [['x-long', 'x'.repeat(20_000)]] }, 431, 'HEADERS_TOO_LARGE'],
  'a control character in a header': [{ headers: [['x-odd', 'a\u0001b']] }, 400, 'INVALID_BODY'],
  'two lengths': [
    {
      headers: [
        ['content-length', '0'],
        ['content-length', '1'],
      ],
    },
    400,
    'INVALID_BODY',
  ],
  'chunks that are none': [
    { headers: [['transfer-encoding', 'chunked']], body: Buffer.from('zz') },
    400,
    'INVALID_BODY',
  ],
  'a broken percent sign': [{ target: '/scopes/%zz' }, 400, 'INVALID_PARAMETER_VALUE'],
  'bytes that are no text': [{ target: '/scopes/%ff' }, 400, 'INVALID_PARAMETER_VALUE'],
  'a NUL in the path': [{ target: '/scopes/%00' }, 400, 'INVALID_PARAMETER_VALUE'],
  'a path without end': [{ target: `/scopes/${'x'.repeat(5_000)}` }, 414, 'URI_TOO_LONG'],
  'a way out of the path': [{ target: '/scopes/../../etc/passwd' }, 404, 'ROUTE_NOT_FOUND'],
  'a method that no path has': [{ method: 'PROPFIND' }, 405, 'METHOD_NOT_ALLOWED'],
  'a method that does not exist': [{ method: 'FETCH' }, 405, 'METHOD_NOT_ALLOWED'],
  'a method that is no word': [{ method: 'GET(' }, 400, 'INVALID_BODY'],
  'a method in another header': [
    { method: 'GET', target: '/states', headers: [['x-http-method-override', 'POST']] },
    405,
    'METHOD_NOT_ALLOWED',
  ],
  'a parameter twice': [{ target: '/ping?wait=0&wait=0' }, 400, 'INVALID_PARAMETER_VALUE'],
  'a day that the database does not know': [
    { target: '/latchkey/communities/x/shadow-mode/differences?day=0000-01-01' },
    400,
    'INVALID_PARAMETER_VALUE',
  ],
  'a day that the calendar does not have': [
    { target: '/latchkey/communities/x/shadow-mode/differences?day=2026-02-31' },
    400,
    'INVALID_PARAMETER_VALUE',
  ],
  'a parameter that is too large': [{ target: '/ping?wait=1e400' }, 400, 'INVALID_PARAMETER_VALUE'],
};

describe('odd requests', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  const slowest = { target: '', ms: 0 };

  async function send(change: Change): Promise<RawAnswer> {
    const request = { method: 'GET', target: '/scopes', headers: [], ...change };
    const credential: [string, string] = ['x-api-key', server.adminKey];
    const answer = await sendRaw(server.url, { ...request, headers: [credential, ...request.headers] });
    const { ms } = answer;
    if (ms > slowest.ms) Object.assign(slowest, { target: request.target.slice(0, 50), ms });
    return answer;
  }

  function assertAnswer(answer: RawAnswer, status: number, code: string): void {
    assert.deepEqual([answer.status, codeOf(answer.body.toString())], [status, code]);
    assert.deepEqual(problemsOf('GET', '', answer), []);
  }

  for (const [what, [body, status, code]] of Object.entries(bodies)) {
    test(`a body ${what} gets ${status}`, async () => {
      assertAnswer(await send({ ...json('application/json'), body: Buffer.from(body) }), status, code);
    });
  }

  for (const [what, [change, status, code]] of Object.entries(requests)) {
    test(`a request with ${what} gets ${status}`, async () => {
      assertAnswer(await send(change), status, code);
    });
  }

  test('the broken rest of an answered request gets no second response', async () => {
    for (const method of ['GET', 'HEAD', 'POST']) {
      const { body } = await send({
        method,
        target: '/nowhere',
        headers: [['transfer-encoding', 'chunked']],
        body: Buffer.from('zz'),
      });
      assert.ok(!body.includes('HTTP/1.1'), body.toString());
    }
  });

  test('an unknown Expect header is ignored', async () => {
    assert.equal((await send({ headers: [['expect', 'the-unexpected']] })).status, 200);
  });

  test('all of them are answered at once', (t) =>
    bound(t, `the slowest answer (${slowest.target})`, slowest.ms, promisedMs));

  test('none of them leaves an error in the log', () => {
    assert.deepEqual(
      server.logLines.filter((line) => (JSON.parse(line) as { level: number }).level >= 50),
      [],
    );
  });
});
