import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createWalletNamespace, invalid } from './wallet-namespace.ts';

const proof = { chain: '1', address: 'a', message: 'm', signature: 's' };

function walletsThat(verify: () => never | ReturnType<typeof invalid>) {
  return createWalletNamespace({ namespace: 'test', chains: ['1'], normalizeAddress: (address) => address, verify });
}

test('a failure during verification is not a verdict on the proof', async () => {
  const failures = [
    Object.assign(new Error('Cannot find module verify.ts'), { code: 'ERR_MODULE_NOT_FOUND' }),
    new TypeError("Cannot read properties of undefined (reading 'length')"),
    new DOMException('This operation was aborted', 'AbortError'),
  ];
  for (const failure of failures) {
    const wallets = walletsThat(() => {
      throw failure;
    });
    await assert.rejects(wallets.verify(proof), failure);
  }
  assert.equal((await walletsThat(() => invalid('It does not fit.')).verify(proof)).kind, 'invalid');
});

test('checks common to every chain run before its own rules', async () => {
  const wallets = walletsThat(() => assert.fail('The rules of the chain must not run.'));
  for (const change of [{ chain: '2' }, { address: 7 }, { message: null }, { details: [] }, { details: 'x' }])
    assert.equal((await wallets.verify({ ...proof, ...change } as never)).kind, 'invalid', JSON.stringify(change));
});
