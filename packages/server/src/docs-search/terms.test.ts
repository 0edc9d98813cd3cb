import assert from 'node:assert/strict';
import { test } from 'node:test';
import { splitWords, termsOf } from './terms.ts';

test('the forms of a word, and both spellings, are one term', () => {
  for (const words of [
    'verify verifies verified verifying verification',
    'gate gates gated gating',
    'community communities',
    'customise customize customised customizing customisation',
    'delegate delegating delegation',
    'configure configures configured configuration',
    'connect connected connecting connection',
    'differ differs difference differences different',
    'deploy deployed deployment',
    'stop stops stopped stopping',
    'sell sold selling',
    'lose lost losing',
    'wallet wallets Wallet',
    'address addresses',
  ])
    assert.equal(termsOf(splitWords(words)).length, 1, `${words}: ${termsOf(splitWords(words))}`);
});

test('words that differ stay apart', () => {
  for (const pair of [
    'status state',
    'token tokenproof',
    'ERC20 ERC721',
    'access accept',
    'form format',
    'action act',
    'create credit',
  ])
    assert.equal(termsOf(splitWords(pair)).length, 2, pair);
});

test('stop words are not terms', () => {
  assert.deepEqual(termsOf(splitWords('how do I do this with my')), []);
});

test('a compound word is found by its parts and as a whole', () => {
  assert.deepEqual(splitWords('mini-app'), ['mini', 'app', 'miniapp']);
  assert.deepEqual(splitWords('checkRoles'), ['checkRoles', 'check', 'Roles']);
  assert.deepEqual(splitWords('GET /a/{requestId}'), ['GET', 'a', 'requestId', 'request', 'Id']);
});
