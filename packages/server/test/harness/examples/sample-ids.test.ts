import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asSampleCommunity } from './sample-ids.ts';

test('a recorded call names the community and the roles of npm start, each role by the same id everywhere', () => {
  const example = {
    request: { path: '/communities/DIS%23COMM%231572059672016322560/roles/1572059672016322562' },
    response: {
      status: 200,
      body: {
        guild: '1572059672016322560',
        roles: ['1572059672016322563', '1572059672016322562'],
        owner: '200000000000000001',
      },
    },
  };
  assert.deepEqual(asSampleCommunity(example), {
    request: { path: '/communities/DIS%23COMM%23100000000000000001/roles/300000000000000001' },
    response: {
      status: 200,
      body: {
        guild: '100000000000000001',
        roles: ['300000000000000002', '300000000000000001'],
        owner: '200000000000000001',
      },
    },
  });
});

test('a call about no community stays as it is', () => {
  const example = { request: { path: '/kudos/1572059672016322562' }, response: { status: 204 } };
  assert.deepEqual(asSampleCommunity(example), example);
});
