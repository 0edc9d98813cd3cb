import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '@latchkey/kernel';
import { takeTurns } from '@latchkey/test-kit';
import { answerShapeProblems, codeOf } from '../harness/error-shape.ts';
import { samplesFor } from '../harness/operation-samples.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { served } from '../harness/served.ts';
import { openWorld, rightCredential, type World } from '../harness/set-up-world.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';

const turns = takeTurns('answers to unknown names', 6);

const anyText = 'Takes any text; nothing is looked up.';
const anyAccount = 'Takes any account of a chain; one that holds nothing has an empty list.';
const published = 'A published list, which is empty for what it does not know.';
const choices = 'One of a few words.';
const history = 'Tells what was recorded about anyone, also about people who left or never came.';
const mayComeLater = 'May name someone or something that comes later.';

/** Names in paths that need not exist, each with the reason. */
const exceptions: Readonly<Record<string, string>> = {
  'GET /qrcode/{data} data': anyText,
  'GET /totp/{requestId} requestId': anyText,
  'GET /access-control/{communityId}/{userId}/roles userId':
    'Decides for anyone: without a wallet, no role is granted.',
  'GET /asset-list/{account} account': anyAccount,
  'GET /asset-ownership/{account} account': anyAccount,
  'GET /ethereum-nfts/{address}/attributes address': published,
  'GET /near-indexer/{parentAccount}/accounts parentAccount': published,
  'GET /near-indexer/{accountId}/ft-contracts accountId': published,
  'GET /near-indexer/{accountId}/nft-contracts accountId': published,
  'GET /near-indexer/{contract}/function-calls contract': published,
  'GET /near-indexer/{contract}/transactions/{tokenId} contract': published,
  'GET /near-indexer/{contract}/transactions/{tokenId} tokenId': published,
  'GET /near-indexer/{contract}/transactionsForAccount/{account} contract': published,
  'GET /near-indexer/{contract}/transactionsForAccount/{account} account': published,
  'GET /near-nft/market-contracts/{marketContract}/sales/contracts/{tokenContract} tokenContract': published,
  'GET /near-nft/market-contracts/{marketContract}/sales/indexes/{indexName}/{indexKey} indexName': choices,
  'GET /near-nft/market-contracts/{marketContract}/sales/indexes/{indexName}/{indexKey} indexKey': published,
  'GET /near-nft/market-contracts/{marketContract}/sales/sellers/{seller} seller': published,
  'GET /near-nft/market-contracts/{marketContract}/sales/token-types/{tokenType} tokenType': published,
  'GET /near-nft/users/{userId}/owned-tokens/{address} userId': published,
  'GET /near-nft/users/{userId}/owned-tokens userId': published,
  'GET /near-nft/users/{userId}/token-contracts userId': published,
  'GET /kudos/users/{userId}/{type} userId': published,
  'GET /kudos/users/{userId}/{type} type': 'A kind of kudos; communities choose their own.',
  'POST /nft-contracts/{chainId}/{address} chainId':
    'Who owns a contract is read from its chain; of an unknown one no one does.',
  'POST /nft-contracts/{chainId}/{address} address':
    'Who owns a contract is read from its chain; of an unknown one no one does.',
  'POST /nft-tokens/{chainId}/{address}/{id} chainId':
    'Who owns a contract is read from its chain; of an unknown one no one does.',
  'POST /nft-tokens/{chainId}/{address}/{id} address':
    'Who owns a contract is read from its chain; of an unknown one no one does.',
  'POST /nft-tokens/{chainId}/{address}/{id} id': mayComeLater,
  'GET /latchkey/nft-contracts/{chainId}/{address}/describers chainId': mayComeLater,
  'GET /latchkey/nft-contracts/{chainId}/{address}/describers address': mayComeLater,
  'PUT /latchkey/nft-contracts/{chainId}/{address}/describers/{describerId} chainId': mayComeLater,
  'PUT /latchkey/nft-contracts/{chainId}/{address}/describers/{describerId} address': mayComeLater,
  'PUT /latchkey/nft-contracts/{chainId}/{address}/describers/{describerId} describerId': mayComeLater,
  'PUT /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId} userId': mayComeLater,
  'PUT /latchkey/communities/{communityId}/admins/{userId} userId': mayComeLater,
  'PUT /latchkey/plans/{planId} planId': 'Creates the plan of that name.',
  'GET /latchkey/communities/{communityId}/roles/{roleId}/holders roleId': history,
  'GET /latchkey/communities/{communityId}/members/{userId}/roles/{roleId} userId': history,
  'GET /latchkey/communities/{communityId}/members/{userId}/roles/{roleId} roleId': history,
  'GET /latchkey/communities/{communityId}/members/{userId}/roles-at userId': history,
  'GET /latchkey/communities/{communityId}/members/{userId}/timeline userId': history,
  'GET /latchkey/operator/people/{userId}/signatures userId': history,
  'POST /latchkey/operator/people/{userId}/erase userId':
    'Anyone can ask to be erased, whether or not something is known.',
  'POST /latchkey/operator/signing-keys/{purpose}/rotate purpose': choices,
  'PUT /latchkey/operator/waiting-list/guests/{userId} userId': mayComeLater,
  'DELETE /latchkey/operator/waiting-list/guests/{userId} userId': 'Nobody is a guest afterwards, as before.',
  'POST /latchkey/telegram-join-requests/{slug}/open slug': 'Telegram’s signature is checked first.',
};

/** Reads come first, because some changes create what is unknown. */
const cases = served
  .flatMap((operation) => [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ operation, name })))
  .sort((a, b) => Number(b.operation.method === 'GET') - Number(a.operation.method === 'GET'));
const nameOf = ({ operation, name }: { operation: Operation; name: string }) => `${operation.route} ${name}`;

/** Replaces the last letters and digits of a name with others, so that it has the same form. */
function another(known: string): string {
  let left = 4;
  return [...known]
    .reverse()
    .map((letter) => {
      if (left === 0 || !/[0-9A-Za-z]/.test(letter)) return letter;
      left -= 1;
      if (/\d/.test(letter)) return String((Number(letter) + 3) % 10);
      const [one, other] = /[a-f]/.test(letter)
        ? 'ab'
        : /[A-F]/.test(letter)
          ? 'AB'
          : /[a-z]/.test(letter)
            ? 'xy'
            : 'XY';
      return letter === one ? other : one;
    })
    .reverse()
    .join('');
}

turns.describe('an unknown name in a path', () => {
  let world: World;
  before(async () => {
    world = await openWorld(behindProxy);
  });
  after(() => world.server.close());

  for (const { operation, name } of cases)
    test(`is ${exceptions[nameOf({ operation, name })] === undefined ? 'not found' : 'no error'} as the ${name} of ${operation.route}`, async () => {
      const draft = sampleRequest(operation, await samplesFor(world, operation, () => 1));
      draft.path[name] = another(draft.path[name] ?? '');
      const answer = await visit(world.server, draft, await rightCredential(world, operation));
      const { status, text } = answer;
      if (status >= 400) assert.deepEqual(answerShapeProblems(operation, answer), []);
      if (exceptions[nameOf({ operation, name })] === undefined)
        assert.deepEqual([status, codeOf(text)], [404, 'ENTITY_NOT_FOUND'], text);
      else assert.ok(status !== 404 && status < 500, `${status} ${text}`);
    });
});

describe('the list of names that need not exist', () => {
  test('holds only names of served operations', () => {
    const known = cases.map(nameOf);
    assert.deepEqual(
      Object.keys(exceptions).filter((one) => !known.includes(one)),
      [],
    );
  });
});
