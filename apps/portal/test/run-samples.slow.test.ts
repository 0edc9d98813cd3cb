import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { resources } from '@latchkey/core';
import { describeApi } from '@latchkey/kernel';
import { readExamples } from '@latchkey/server/examples';
import { freePorts, makeDataFolder, startLatchkey } from '@latchkey/server/testing/processes';
import { volume } from '@latchkey/test-kit';
import { modelOf, type OperationModel } from '../reference/model.ts';
import { readDescription } from '../reference/read-description.ts';
import { type OwnValues, readOwnValues, withOwnValues } from '../src/reference/samples/own-values.ts';
import { startInputs } from '../src/reference/samples/start-inputs.ts';
import { type Credential, noCredential } from '../src/reference/try-it/credential.ts';
import { prepare } from '../src/reference/try-it/prepare.ts';

const owner = 'DIS#USER#200000000000000000';
/** Reads that a new server refuses, by the reason. */
const refusedReads: Readonly<Record<string, readonly string[]>> = {
  'works once or for a short time': [
    '/access-control/check-roles/responses/{requestId}',
    '/asset-verification/{token}',
    '/discord/webhooks/{interactionId}/messages/{messageId}',
    '/latchkey/account/communities/{communityId}/role-invite',
    '/oauth2/authorize',
    '/reddit/unlink-token',
    '/slugs/{slug}',
    '/states/{slug}',
    '/stripe/callback',
    '/unlock/callback',
  ],
  'needs a service, or an account on another platform': [
    '/reddit/is-community-config-set',
    '/telegram-pkp/check-availability',
    '/tokenproof/authorize',
    '/tokenproof/responses/{requestId}',
  ],
  'is about a contract or transaction on NEAR that only the recording had': [
    '/near-indexer/receipts/{receiptId}',
    '/near-indexer/transactions/{txHash}',
    '/near-nft/market-contracts/{marketContract}/sales/contracts/{tokenContract}',
    '/near-nft/market-contracts/{marketContract}/sales/contracts/{tokenContract}/{tokenId}',
    '/near-nft/market-contracts/{marketContract}/sales/indexes/{indexName}/{indexKey}',
    '/near-nft/market-contracts/{marketContract}/sales/sellers/{seller}',
    '/near-nft/market-contracts/{marketContract}/sales/token-types/{tokenType}',
    '/near-nft/token-collections/{collectionId}',
    '/near-nft/token-contracts/{address}',
    '/near-nft/tokens/{address}',
    '/near-nft/tokens/{address}/{id}',
    '/near-nft/users/{userId}/balance',
    '/near-nft/users/{userId}/owned-tokens/{address}',
  ],
  'is about an object that nobody has created yet': [
    '/client-apps/dev-orgs/{organizationId}',
    '/communities/{communityId}/wallet',
    '/communities/{id}',
    '/communities/{id}/premium-support',
    '/dev-orgs/{orgId}',
    '/dev-orgs/{orgId}/wallet',
    '/jwt/public-keys/{kid}',
    '/latchkey/client-apps/{id}/deliveries/{deliveryId}',
    '/latchkey/communities/{communityId}/apps/{appId}',
    '/latchkey/communities/{communityId}/change-sets/{changeSetId}',
    '/latchkey/communities/{communityId}/change-sets/{changeSetId}/comments',
    '/latchkey/communities/{communityId}/change-sets/{changeSetId}/reasons',
    '/latchkey/communities/{communityId}/change-sets/{changeSetId}/undo',
    '/latchkey/communities/{communityId}/guest-passes/{passId}/holders',
    '/latchkey/communities/{communityId}/member-exports/{exportId}/content',
    '/latchkey/communities/{communityId}/rule-imports/{importId}',
    '/latchkey/miniapps/{miniAppId}',
    '/latchkey/treasuries/{address}',
    '/latchkey/treasuries/{address}/actions',
    '/miniapps/dev-orgs/{organizationId}',
    '/nft-contracts/{chainId}/{address}',
    '/nft-tokens/{chainId}/{address}/{id}',
    '/user-authorizations/{clientId}',
    '/users/me/pkp',
    '/webauthn/credentials/{id}',
  ],
};
/** 181 of 233 when this was written. */
const leastShare = 0.77;
const isDeep = volume(0, 1) === 1;

describe('prefilled requests on a new server', { skip: isDeep ? false : 'for npm run test:deep' }, () => {
  const rest = new AsyncDisposableStack();
  let url = '';
  let session: Credential;
  let operatorKey: Credential;
  let appKey: Credential;
  let own: OwnValues;

  before(async () => {
    const data = rest.use(await makeDataFolder());
    // The simulators take the ports from the last one on.
    const [port, mailPort, sandboxPort] = [await freePorts(), await freePorts(), await freePorts()];
    const environment = {
      LATCHKEY_DATA_DIR: data.path,
      LATCHKEY_PORT: String(port),
      LATCHKEY_PORTAL: 'false',
      LATCHKEY_MAIL_CATCHER_PORT: String(mailPort),
      LATCHKEY_SANDBOX: 'true',
      LATCHKEY_SANDBOX_PORT: String(sandboxPort),
    };
    const latchkey = rest.use(startLatchkey(['start'], environment));
    const [, asOwner = ''] = await latchkey.printed(/as the owner of the sample community +(\S+)/);
    await latchkey.printed(/Ctrl-C stops everything/);
    url = new URL(asOwner).origin;
    const run = async (...words: string[]) => {
      await using command = startLatchkey(words, environment);
      const { code } = await command.ended();
      assert.equal(code, 0, command.stderr());
      return command.stdout().trim().split(/\s+/).at(-1) ?? '';
    };
    session = { kind: 'ae', secret: await run('token', 'ae', '--user', owner, '--reason', 'samples') };
    operatorKey = { kind: 'api-key', secret: await run('admin-key', 'create', 'samples') };
    appKey = { kind: 'api-key', secret: await run('dev-app', 'Samples', '--user', owner) };
    own = await readOwnValues(url, session, new AbortController().signal);
    assert.equal(own.community?.id, 'DIS#COMM#100000000000000001');
  });
  after(() => rest.disposeAsync());

  function credentialFor({ isOpen, credentials }: OperationModel): Credential {
    if (isOpen) return noCredential;
    if (credentials.includes('session')) return session;
    return credentials.includes('operator-key') ? operatorKey : appKey;
  }

  test('succeed for every read that is not listed with a reason', async () => {
    const document = readDescription(describeApi(resources, { serverUrl: url }));
    assert.ok(document);
    const reads = modelOf(document, new Map(), readExamples())
      .flatMap(({ operations }) => operations)
      .filter(({ method, example }) => method === 'GET' && example !== undefined);
    const refused: string[] = [];
    for (const operation of reads) {
      const { inputs } = withOwnValues(operation, startInputs(operation), own);
      const prepared = prepare(operation, inputs, url, credentialFor(operation));
      if ('problems' in prepared) {
        refused.push(operation.path);
        continue;
      }
      const answer = await fetch(prepared.prepared.url, {
        headers: prepared.prepared.headers.map(({ name, value }): [string, string] => [name, value]),
        redirect: 'manual',
      });
      await answer.arrayBuffer();
      if (answer.status >= 400) refused.push(operation.path);
    }
    const known = new Set(Object.values(refusedReads).flat());
    assert.deepEqual(
      refused.filter((path) => !known.has(path)),
      [],
    );
    assert.ok(
      reads.length - refused.length >= leastShare * reads.length,
      `${refused.length} of ${reads.length} failed.`,
    );
  });
});
