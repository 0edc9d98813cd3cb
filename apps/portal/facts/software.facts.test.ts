import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cloneCommandOf } from './software.facts.ts';

test('the command to clone has the address of the repository, or says where to get it', () => {
  assert.equal(
    cloneCommandOf({ repository: 'https://git.example.org/latchkey' }),
    '`git clone https://git.example.org/latchkey`',
  );
  assert.match(cloneCommandOf({ repository: undefined }), /^`git clone` with the address from the operator/);
});
