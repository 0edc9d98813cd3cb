import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutBrowser } from '@latchkey/console/testing';
import { pictures } from '@latchkey/portal/pictures';
import { volume } from '@latchkey/test-kit';
import { startSampleServer } from '../sample-server.ts';
import { takeInOrder } from './take-in-order.ts';

const count = volume(0, pictures.length);
const skip = withoutBrowser || (count === 0 && 'takes the pictures of the help pages anew in the deep run only');

describe('the pictures of the help pages', { skip }, () => {
  test('can be retaken: each still finds its screen and element', async () => {
    await using sample = await startSampleServer();
    assert.deepEqual(await takeInOrder(sample, pictures.slice(0, count)), []);
  });
});
