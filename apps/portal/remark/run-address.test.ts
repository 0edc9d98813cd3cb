import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { runAddressOf } from './highlight-code.ts';

const skip = existsSync(new URL('../.generated/openapi.json', import.meta.url))
  ? false
  : 'the portal has not been built';

test('a sample that reads is run in the reference, at its operation', { skip }, () => {
  assert.equal(runAddressOf('curl -s "$LATCHKEY_URL/evm/31337/tokens"'), '/apis/evm/getEvmTokens?try=getEvmTokens');
  assert.match(
    runAddressOf('curl -s "$LATCHKEY_URL/access-control/check-roles" -H "content-type: application/json" -d \'{}\'') ??
      '',
    /\?try=checkRoles$/,
  );
});

test('a sample that changes something, or calls another host, is not', { skip }, () => {
  for (const sample of [
    'curl -s -X DELETE "$LATCHKEY_URL/account/wallets/$WALLET"',
    'curl -s -X POST "$LATCHKEY_URL/miniapps" -H "content-type: application/json" -d \'{}\'',
    'curl -s "https://example.org/evm/31337/tokens"',
    'npm start',
  ])
    assert.equal(runAddressOf(sample), undefined, sample);
});
