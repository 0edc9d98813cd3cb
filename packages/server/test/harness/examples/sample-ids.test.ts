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
  assert.deepEqual(asSampleCommunity(example, 'GET /communities/{id}'), {
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
  assert.deepEqual(asSampleCommunity(example, 'GET /communities/{id}'), example);
});

test('the role in the id of a rule is one of npm start, and stays so when it is named again', () => {
  const example = {
    request: { path: '/rules', body: { id: 'TPC#0xe7#1572793646116241410#31337' } },
    response: { status: 200 },
  };
  const named = asSampleCommunity(example, 'PUT /rules');
  assert.deepEqual(named.request.body, { id: 'TPC#0xe7#300000000000000001#31337' });
  assert.deepEqual(asSampleCommunity(named, 'PUT /rules'), named);
});

test('a call about NEAR names the accounts of npm start, and contracts of the reader where it changes them', () => {
  const example = (path: string) => ({
    request: { path, body: { sender: 'seller.lk3.testnet' } },
    response: { status: 200 },
  });
  const read = asSampleCommunity(example('/near-nft/tokens/art.lk3.testnet'), 'GET /near-nft/tokens/{address}');
  assert.deepEqual(read.request, { path: '/near-nft/tokens/art.latchkey.testnet', body: { sender: 'ada.testnet' } });
  const changed = asSampleCommunity(
    example('/near-nft/token-contracts/art.lk3.testnet'),
    'POST /near-nft/token-contracts/{address}',
  );
  assert.equal(changed.request.path, '/near-nft/token-contracts/gallery.latchkey.testnet');
});
