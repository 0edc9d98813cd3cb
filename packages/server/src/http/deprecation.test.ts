import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Operation } from '@latchkey/kernel';
import { deprecationHeaders } from './deprecation.ts';

const headersOf = (deprecated: Operation['contract']['deprecated']) =>
  deprecationHeaders({ contract: { deprecated } as Operation['contract'] });

test('names since when an operation is deprecated, when it ends, and what to call instead', () => {
  assert.deepEqual(headersOf({ since: '2026-11-19', until: '2027-11-19', use: 'PUT /latchkey/things' }), {
    deprecation: '@1795046400',
    sunset: 'Fri, 19 Nov 2027 00:00:00 GMT',
    link: '</latchkey/things>; rel="successor-version"',
  });
});

test('announces no end where none is set, and nothing for other operations', () => {
  assert.equal(headersOf({ since: '2026-11-19', use: 'POST /things' })['sunset'], undefined);
  assert.equal(headersOf({ since: '2026-11-19', use: 'PUT /things/{id}' })['link'], undefined);
  assert.deepEqual(headersOf(undefined), {});
});
