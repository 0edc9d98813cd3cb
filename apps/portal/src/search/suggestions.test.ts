import assert from 'node:assert/strict';
import { test } from 'node:test';
import { suggestionsFor } from './suggestions.ts';

test('readers of every section get their own search suggestions', () => {
  for (const here of ['docs-default-current', 'docs-help-docs-current', 'docs-dao-0.64', undefined])
    assert.equal(suggestionsFor(here).length, 3);
  assert.ok(suggestionsFor('docs-help-docs-current').includes('permissions'));
});
