import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unknownSettings } from './examine-installation.ts';

test('an unknown setting is reported, with the closest known one', () => {
  assert.deepEqual(
    unknownSettings({
      LATCHKEY_PORT: '1',
      LATCHKEY_BASEURL: 'https://x',
      LATCHKEY_SOMETHING_ELSE_ENTIRELY: '1',
      LATCHKEY_TEST_SEED: 'a',
      PATH: '/bin',
    }),
    [
      { name: 'LATCHKEY_BASEURL', meant: 'LATCHKEY_BASE_URL' },
      { name: 'LATCHKEY_SOMETHING_ELSE_ENTIRELY', meant: undefined },
    ],
  );
});
