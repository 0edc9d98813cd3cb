import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@latchkey/client';
import { PageExpired } from './api.ts';
import { loadMessages } from './messages/index.ts';
import { Unreachable } from './reach-server.ts';
import { describeError } from './say-error.ts';
import { withWalletErrors } from './wallets/wallet-error.ts';

await loadMessages('en');

const refusing = (error: unknown) =>
  withWalletErrors({
    key: 'fox',
    name: 'Fox',
    icon: undefined,
    rdns: undefined,
    namespace: 'evm',
    open: async () => ({ accountId: 'evm:1:0x1', address: '0x1', sign: () => Promise.reject(error) }),
  });
const messageOf = async (error: unknown) => {
  const account = await refusing(error).open();
  return account.sign('a text').catch(describeError);
};

test('no error is blamed on the wallet unless the wallet reported it', () => {
  const others = [
    new Error('Access denied by the proxy'),
    new Error('The request was rejected, declined and cancelled'),
    new TypeError('Unable to preload CSS for /console/assets/view-Ab12.css'),
    new TypeError('Failed to fetch dynamically imported module'),
    new TypeError('x is not a function'),
    new Unreachable('The server could not be reached.'),
    new ApiError(403, { message: 'Permission denied.' }, null),
    new PageExpired(),
    new DOMException('denied', 'NotAllowedError'),
    Object.assign(new Error('of something else'), { code: 4001 }),
    { code: 4001, message: 'denied' },
    undefined,
  ];
  for (const error of others) assert.doesNotMatch(describeError(error), /wallet/i, String(error));
});

test('a wallet’s refusal is recognized by its code, and its own message is quoted otherwise', async () => {
  assert.equal(await messageOf({ code: 4001, message: 'No.' }), 'You declined in your wallet. Nothing was signed.');
  assert.match(String(await messageOf({ code: -32002 })), /already has an open request/);
  assert.equal(await messageOf(new Error('Permission denied')), 'Your wallet says: Permission denied');
  assert.equal(await messageOf(undefined), 'Your wallet reported an error. Try again.');
  assert.ok(String(await messageOf(new Error('x'.repeat(5_000)))).length < 400);
});

test('a refusal is in the language of the page where its code says enough, and in English otherwise', async () => {
  const busy = new ApiError(429, { code: 'RATE_LIMITED', message: 'Too many requests.' }, null);
  const taken = new ApiError(409, { code: 'STATE_CONFLICT', message: 'The name is taken.' }, null);
  assert.equal(describeError(busy), 'Too many requests.');
  await loadMessages('de');
  assert.deepEqual([busy, taken].map(describeError), [
    'Zu viele Anfragen. Versuche es gleich noch einmal.',
    'The name is taken.',
  ]);
  await loadMessages('en');
});

test('a part of the page that cannot be loaded leads to a reload', () => {
  assert.match(describeError(new TypeError('Importing a module script failed.')), /Reload the page/);
});
