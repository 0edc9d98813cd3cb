import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import compilePath from './match-path.ts';

const match = (path: string, pathname: string, options = {}) => compilePath(path, [], options).exec(pathname)?.[0];

describe('paths of the site', () => {
  test('match with and without a slash at the end, in any case', () => {
    assert.equal(match('/docs/intro', '/docs/intro'), '/docs/intro');
    assert.equal(match('/docs/intro', '/docs/intro/'), '/docs/intro/');
    assert.equal(match('/docs/', '/docs'), '/docs');
    assert.equal(
      match('/help-docs/errors/Permissions', '/help-docs/errors/permissions'),
      '/help-docs/errors/permissions',
    );
  });

  test('match what lies below them only when asked to, and only at a slash', () => {
    assert.equal(match('/docs', '/docs/intro'), undefined);
    assert.equal(match('/docs', '/docs/intro', { end: false }), '/docs');
    assert.equal(match('/docs', '/docs-old', { end: false }), undefined);
    assert.equal(match('/', '/docs', { end: false }), '');
  });

  test('match exactly when told to be strict', () => {
    assert.equal(match('/docs', '/docs/', { strict: true }), undefined);
    assert.equal(match('/docs/', '/docs/', { strict: true }), '/docs/');
    assert.equal(match('/docs', '/DOCS', { sensitive: true }), undefined);
  });

  test('match as links write them, with backslashes', () => {
    assert.equal(match('\\/blog', '/blog'), '/blog');
    assert.equal(match('\\/docs\\/0\\.64', '/docs/0.64/intro', { end: false }), '/docs/0.64');
  });

  test('may be anything, but have no parameters', () => {
    assert.equal(match('*', '/nowhere'), '/nowhere');
    assert.throws(() => compilePath('/blog/:post'), /parameters/);
  });
});
