import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locatePackages } from './package-addresses.mjs';

const integrity = 'sha512-x';

test('packages are located at the registry in use, and scoped packages at theirs', () => {
  const lock = {
    packages: {
      '': { version: '1.0.0' },
      'node_modules/plain': { version: '1.2.3', integrity },
      'node_modules/plain/node_modules/@scope/inner': { version: '2.0.0', integrity },
      'node_modules/@own/part': { version: '3.0.0', integrity },
      'node_modules/alias': { name: 'real', version: '4.0.0', integrity },
      'node_modules/@latchkey/db': { resolved: 'packages/db' },
    },
  };
  const config = { registry: 'https://registry.example.org/npm/', '@own:registry': 'https://own.example.org' };
  const located = locatePackages(lock, config)?.packages ?? {};
  assert.deepEqual(
    Object.values(located).map(({ resolved }) => resolved),
    [
      undefined,
      'https://registry.example.org/npm/plain/-/plain-1.2.3.tgz',
      'https://registry.example.org/npm/@scope/inner/-/inner-2.0.0.tgz',
      'https://own.example.org/@own/part/-/part-3.0.0.tgz',
      'https://registry.example.org/npm/real/-/real-4.0.0.tgz',
      'packages/db',
    ],
  );
  assert.deepEqual(
    Object.values(located).map((entry) => entry.integrity),
    [undefined, integrity, integrity, integrity, integrity, undefined],
  );
});

test('without a known registry, npm finds the packages itself', () => {
  assert.equal(locatePackages({ packages: {} }, {}), undefined);
  assert.equal(locatePackages({ packages: {} }, { registry: 'file:///packages' }), undefined);
});
