import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nearestPaths } from './nearest-paths.ts';

const paths = ['/docs/intro', '/dao/intro', '/help-docs/wallets/verify-your-wallet', '/help-docs/errors/Permissions'];

describe('pages suggested for an address that is not there', () => {
  test('are those that differ by a typo', () => {
    assert.equal(nearestPaths('/docs/intor', paths, 3)[0], '/docs/intro');
    assert.equal(nearestPaths('/help-docs/wallet/verify-wallet', paths, 3)[0], '/help-docs/wallets/verify-your-wallet');
  });

  test('do not depend on case or on a file ending', () => {
    assert.equal(nearestPaths('/help-docs/errors/permissions.html', paths, 1)[0], '/help-docs/errors/Permissions');
  });

  test('are none when nothing is similar', () => {
    assert.deepEqual(nearestPaths('/zzzz', paths, 3), []);
  });
});
