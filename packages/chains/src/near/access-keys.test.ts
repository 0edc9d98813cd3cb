import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { patientMs } from '@latchkey/emulators/testing';
import { serveJson } from '../testing/serve-json.ts';
import { createNearAccessKeyLookup } from './access-keys.ts';

const block = { block_height: 19884918, block_hash: 'GGJQ8yjmo7aEoj8ZpAhGehnq9BSWFx4xswHYzDwwAP2n' };
const key = 'ed25519:H9k5eiU4xXS3M4z8HzKJSLaZdqGdGwBG49o7orNC4eZW';
const functionCall = { allowance: '18501534631167209000000000', receiver_id: 'x.near', method_names: [] };

const result = (fields: object) => ({ jsonrpc: '2.0', id: 'latchkey', result: { ...block, ...fields } });
const failure = (name: string) => ({
  jsonrpc: '2.0',
  id: 'latchkey',
  error: { name: 'HANDLER_ERROR', cause: { name, info: {} }, code: -32000, message: 'Server error' },
});

/** Starts a node that returns the given response for each kind of query, and records the queries. */
async function startNode(t: TestContext, answers: Record<string, unknown>) {
  const requests: unknown[] = [];
  const url = await serveJson(t, (body) => {
    requests.push(body);
    const kind = (body as { params: { request_type: string } }).params.request_type;
    return { body: answers[kind] };
  });
  return { requests, find: createNearAccessKeyLookup({ fetch, urls: { mainnet: url }, timeoutMs: patientMs }) };
}

test('a key is requested in final blocks and read from the response', async (t) => {
  const { requests, find } = await startNode(t, {
    view_access_key: result({ nonce: 85, permission: 'FullAccess' }),
  });
  assert.equal(await find('alice.near', key, 'mainnet', undefined), 'full-access');
  assert.deepEqual(requests, [
    {
      jsonrpc: '2.0',
      id: 'latchkey',
      method: 'query',
      params: { finality: 'final', request_type: 'view_access_key', account_id: 'alice.near', public_key: key },
    },
  ]);
});

const account = result({ amount: '1', locked: '0', code_hash: '11111111111111111111111111111111' });
const keyGone = result({ error: `access key ${key} does not exist while viewing`, logs: [] });
const accountGone = result({ error: 'account alice.near does not exist while viewing', logs: [] });
const cases: [string, Record<string, unknown>, string | undefined][] = [
  ['a function-call key', { view_access_key: result({ permission: { FunctionCall: functionCall } }) }, 'limited'],
  ['a missing key of an account', { view_access_key: keyGone, view_account: account }, 'no-such-key'],
  ['a missing key, named', { view_access_key: failure('UNKNOWN_ACCESS_KEY'), view_account: account }, 'no-such-key'],
  ['a missing account', { view_access_key: accountGone }, 'no-such-account'],
  ['a missing account, named', { view_access_key: failure('UNKNOWN_ACCOUNT') }, 'no-such-account'],
  ['a missing account behind a key', { view_access_key: keyGone, view_account: accountGone }, 'no-such-account'],
  [
    'a missing account behind a key, named',
    { view_access_key: keyGone, view_account: failure('UNKNOWN_ACCOUNT') },
    'no-such-account',
  ],
  ['a node that is behind', { view_access_key: failure('UNAVAILABLE_SHARD') }, undefined],
  ['a node that fails half-way', { view_access_key: keyGone, view_account: failure('INTERNAL_ERROR') }, undefined],
  ['an empty answer', { view_access_key: {} }, undefined],
  ['an answer of another kind', { view_access_key: [1, 2] }, undefined],
  ['a new kind of permission', { view_access_key: result({ permission: 'ReadOnly' }) }, 'limited'],
];
for (const [name, answers, expected] of cases) {
  test(`${name} is read as ${expected ?? 'nothing known'}`, async (t) => {
    const { find } = await startNode(t, answers);
    assert.equal(await find('alice.near', key, 'mainnet', undefined), expected);
  });
}

test('a node that fails, returns garbage, hangs, is missing or not configured yields nothing', async (t) => {
  const failing = await serveJson(t, () => ({ status: 503, body: result({ permission: 'FullAccess' }) }));
  const babbling = await serveJson(t, () => ({ body: '<html>busy</html>' }));
  const hanging = await serveJson(t, () => undefined);
  for (const url of [failing, babbling, hanging, 'http://127.0.0.1:1/']) {
    const find = createNearAccessKeyLookup({ fetch, urls: { mainnet: url }, timeoutMs: 200 });
    assert.equal(await find('alice.near', key, 'mainnet', undefined), undefined);
    assert.equal(await find('alice.testnet', key, 'testnet', undefined), undefined);
  }
});

test('a caller that aborts ends the lookup', async (t) => {
  const url = await serveJson(t, () => undefined);
  const find = createNearAccessKeyLookup({ fetch, urls: { mainnet: url }, timeoutMs: patientMs });
  assert.equal(await find('alice.near', key, 'mainnet', AbortSignal.timeout(50)), undefined);
});
