import assert from 'node:assert/strict';
import { test } from 'node:test';
import { patientMs } from '@latchkey/emulators/testing';
import { bytesToHex } from '@noble/hashes/utils.js';
import { serveJson } from '../testing/serve-json.ts';
import { createTonPublicKeyLookup } from './public-keys.ts';

const address = '0:0522952c6d0846ad7f93dfb7987e5f77f02ee53290a26f9be85a50c689085932';
const key = 'e635249f6b3fbaf9742ae1d09d8f6f01b6082ff9256d719006329405019f3198';
const answered = (exitCode: unknown, stack: unknown) => ({
  ok: true,
  result: { '@type': 'smc.runResult', gas_used: 604, stack, exit_code: exitCode },
  jsonrpc: '2.0',
  id: 'latchkey',
});

test('the get-method of a wallet is run and its number read as a key', async (t) => {
  const requests: unknown[] = [];
  const url = await serveJson(t, (body) => {
    requests.push(body);
    return { body: answered(0, [['num', `0x${key}`]]) };
  });
  const find = createTonPublicKeyLookup({ fetch, urls: { '-239': url }, timeoutMs: patientMs });
  const answer = await find(address, '-239', undefined);
  assert.equal(answer?.kind === 'key' && bytesToHex(answer.publicKey), key);
  const params = { address, method: 'get_public_key', stack: [] };
  assert.deepEqual(requests, [{ jsonrpc: '2.0', id: 'latchkey', method: 'runGetMethod', params }]);
});

test('a key with leading zeros is filled up to 32 bytes', async (t) => {
  const url = await serveJson(t, () => ({ body: answered(0, [['num', '0xab']]) }));
  const answer = await createTonPublicKeyLookup({ fetch, urls: { '-3': url }, timeoutMs: patientMs })(
    address,
    '-3',
    undefined,
  );
  assert.equal(answer?.kind === 'key' && bytesToHex(answer.publicKey), 'ab'.padStart(64, '0'));
});

test('a contract without the method, and an address without a contract, have no key', async (t) => {
  for (const exitCode of [11, 32, -13, -14, -256]) {
    const url = await serveJson(t, () => ({ body: answered(exitCode, []) }));
    const find = createTonPublicKeyLookup({ fetch, urls: { '-239': url }, timeoutMs: patientMs });
    assert.deepEqual(await find(address, '-239', undefined), { kind: 'none' });
  }
});

test('a malformed, late or missing response yields nothing', async (t) => {
  const strange: unknown[] = [
    {},
    [],
    null,
    answered('0', [['num', '0x1']]),
    answered(0, []),
    answered(0, [['num', '-0x1']]),
    answered(0, [['num', `0x1${key}`]]),
    answered(0, [['cell', { bytes: '' }]]),
    answered(0, [
      ['num', '0x1'],
      ['num', '0x2'],
    ]),
    { ok: false, error: 'Ratelimit exceed', code: 429 },
    'no json',
  ];
  for (const body of strange) {
    const url = await serveJson(t, () => ({ body }));
    assert.equal(
      await createTonPublicKeyLookup({ fetch, urls: { '-239': url }, timeoutMs: patientMs })(
        address,
        '-239',
        undefined,
      ),
      undefined,
    );
  }
  const limited = await serveJson(t, () => ({ status: 429, body: answered(0, [['num', `0x${key}`]]) }));
  const hanging = await serveJson(t, () => undefined);
  for (const url of [limited, hanging]) {
    const find = createTonPublicKeyLookup({ fetch, urls: { '-239': url }, timeoutMs: 200 });
    assert.equal(await find(address, '-239', undefined), undefined);
    assert.equal(await find(address, '-3', undefined), undefined);
  }
});
