import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationModel } from '../../../reference/model.ts';
import { storeFor } from './credential.ts';
import { explain } from './explain.ts';
import { type Inputs, prepare } from './prepare.ts';
import { layOut } from './read-body.ts';
import type { Outcome } from './send.ts';
import { writeCurl } from './write-curl.ts';

const address = 'https://api.example/v1';
const none = { kind: 'none', secret: '' } as const;
const field = { depth: 0, text: '' };

function operationOf(more: Partial<OperationModel>): OperationModel {
  return {
    ...{
      id: 'x',
      anchor: 'x',
      method: 'GET',
      path: '/things/{id}',
      summary: '',
      description: '',
      scopes: ['thing:read'],
    },
    ...{
      isOpen: false,
      isOwn: false,
      credentials: [],
      body: undefined,
      answer: { status: '200', type: '', text: '', fields: [] },
      errors: [],
      isRepeatable: false,
      guides: [],
      example: undefined,
    },
    parameters: [
      { ...field, in: 'path', name: 'id', type: 'string', required: true },
      { ...field, in: 'query', name: 'limit', type: 'number', required: false },
      { ...field, in: 'query', name: 'assets', type: 'string[]', required: false },
      { ...field, in: 'header', name: 'Authentication', type: 'string', required: false },
    ],
    ...more,
  };
}

function inputsOf(more: Partial<Inputs>): Inputs {
  return { parameters: {}, form: {}, json: '', ...more };
}

test('every parameter goes to its place, encoded so that it stays one value', () => {
  const parameters = { 'path id': ' DIS#COMM/1?a ', 'query limit': '5', 'query assets': 'evm:1/a&b\n\n evm:2 ' };
  const result = prepare(operationOf({}), inputsOf({ parameters }), address, none);
  assert.ok('prepared' in result);
  assert.deepEqual(result.prepared, {
    method: 'GET',
    url: `${address}/things/DIS%23COMM%2F1%3Fa?limit=5&assets=evm%3A1%2Fa%26b&assets=evm%3A2`,
    headers: [],
    body: undefined,
  });
});

test('what cannot be sent is named by field', () => {
  const json = operationOf({
    method: 'POST',
    body: { type: 'application/json', required: true, fields: [], example: {} },
  });
  const parameters = { 'path id': '..', 'query limit': 'many', 'header Authentication': 'a\nb' };
  const result = prepare(json, inputsOf({ parameters, json: '{ "a": }' }), address, { kind: 'bearer', secret: 'a b' });
  assert.ok('problems' in result);
  assert.deepEqual(Object.keys(result.problems), [
    'path id',
    'query limit',
    'header Authentication',
    'body',
    'credential',
  ]);
  const empty = prepare(json, inputsOf({}), address, { kind: 'api-key', secret: '' });
  assert.ok('problems' in empty);
  assert.equal(empty.problems['path id'], 'This parameter is required.');
  assert.equal(empty.problems.body, 'This operation needs a body.');
  assert.ok(empty.problems.credential);
});

test('the key goes into its header, and never into the address or the shell command', () => {
  const secret = 's3cret-key';
  const kinds = {
    'api-key': ['x-api-key', ''],
    ae: ['authorization', 'AE '],
    bearer: ['authorization', 'Bearer '],
  } as const;
  for (const kind of ['api-key', 'ae', 'bearer'] as const) {
    const result = prepare(operationOf({}), inputsOf({ parameters: { 'path id': '1' } }), address, { kind, secret });
    assert.ok('prepared' in result);
    const [name, prefix] = kinds[kind];
    assert.deepEqual(
      result.prepared.headers.map((header) => [header.name, header.value]),
      [[name, `${prefix}${secret}`]],
    );
    assert.ok(!result.prepared.url.includes(secret));
    assert.ok(!writeCurl(result.prepared).includes(secret));
  }
});

test('an application sends its id and secret by HTTP Basic, and to no operation but those of OAuth', () => {
  const operation = operationOf({ path: '/oauth2/introspect', parameters: [], isOpen: true });
  const store = storeFor(operation);
  assert.deepEqual(store?.kinds, ['none', 'application']);
  assert.deepEqual(storeFor(operationOf({}))?.kinds, ['none', 'api-key', 'ae', 'bearer']);
  assert.equal(storeFor({ path: '/ping', isOpen: true }), undefined);
  const send = (secret: string) => prepare(operation, inputsOf({}), address, { kind: 'application', secret });
  const result = send('app-1:hush');
  assert.ok('prepared' in result);
  assert.equal(result.prepared.headers[0]?.value, `Basic ${btoa('app-1:hush')}`);
  assert.match(writeCurl(result.prepared), /-H "authorization: Basic \$BASIC"/);
  const lacking = send('app-1');
  assert.ok('problems' in lacking);
  assert.match(lacking.problems.credential ?? '', /client id, a colon/);
});

test('the shell command is quoted, with variables for secrets', () => {
  const operation = operationOf({
    method: 'POST',
    path: '/oauth2/token',
    parameters: [],
    body: {
      type: 'application/x-www-form-urlencoded',
      required: true,
      example: {},
      fields: ['grant_type', 'client_secret', 'note'].map((name) => ({
        ...field,
        name,
        type: 'string',
        required: false,
      })),
    },
  });
  const form = { grant_type: 'client_credentials', client_secret: 'hush', note: "it's $HOME" };
  const result = prepare(operation, inputsOf({ form }), address, { kind: 'ae', secret: 'hidden' });
  assert.ok('prepared' in result);
  assert.equal(
    writeCurl(result.prepared),
    [
      `curl -s -X POST '${address}/oauth2/token'`,
      '-H "authorization: AE $TOKEN"',
      "--data-urlencode 'grant_type=client_credentials'",
      '--data-urlencode "client_secret=$CLIENT_SECRET"',
      `--data-urlencode 'note=it'\\''s $HOME'`,
    ].join(' \\\n  '),
  );
});

test('JSON is formatted, and its numbers stay unchanged', () => {
  const text = '{"a":[1,2.50,12345678901234567890],"b":{},"c":[],"d":"x,{\\"y\\":1}","e":{"f":null}}';
  assert.equal(
    layOut(text),
    '{\n  "a": [\n    1,\n    2.50,\n    12345678901234567890\n  ],\n  "b": {},\n  "c": [],\n  "d": "x,{\\"y\\":1}",\n  "e": {\n    "f": null\n  }\n}',
  );
  assert.equal(layOut('no <b>JSON</b>'), 'no <b>JSON</b>');
});

test('what went wrong is explained with what to do about it', () => {
  const sent = { address, pageOrigin: 'https://docs.example', scopes: ['thing:read'] };
  const answer = (status: number, text = '', headers: [string, string][] = []): Outcome => ({
    ...{ kind: 'answer', status, statusText: '', ms: 1, headers },
    body: { kind: 'text', text, left: 0 },
  });
  assert.equal(explain(answer(204), sent), undefined);
  assert.equal(explain(answer(401), sent)?.guide?.path, '/docs/downstream-integrations/api/authentication');
  assert.match(explain(answer(403), sent)?.text ?? '', /needs the scope thing:read/);
  assert.match(explain(answer(403, '"code": "CLIENT_NOT_ALLOWED"'), sent)?.text ?? '', /Add https:\/\/docs\.example/);
  assert.match(explain(answer(403, '"code": "PRESENCE_REQUIRED"'), sent)?.text ?? '', /Sign in again with a wallet/);
  const late = explain(answer(429, '', [['retry-after', '7']]), sent);
  assert.deepEqual([late?.text, late?.guide?.title], ['Too many requests. Try again in 7 s.', 'Rate limits']);
  const silence = explain({ kind: 'unreachable', ms: 1, isLate: false }, sent);
  assert.match(silence?.checks?.join(' ') ?? '', /LATCHKEY_PORTAL_URL=https:\/\/docs\.example/);
  assert.match(explain({ kind: 'redirect', ms: 1 }, sent)?.text ?? '', /redirect/);
});
