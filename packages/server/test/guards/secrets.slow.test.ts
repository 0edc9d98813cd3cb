import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sealedColumns } from '@latchkey/core';
import { caller } from '../harness/call-api.ts';
import { findSecrets, openSealedValues, type Place, type Secret } from '../harness/find-secrets.ts';
import { asJsonSchema, fieldsOf } from '../harness/json-schema.ts';
import { asSuperuser, dumpTables } from '../harness/read-tables.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { type Journey, journeyEnvironment, takeSecretJourney } from '../harness/secret-journey.ts';
import { served } from '../harness/served.ts';
import { openWorld, type World } from '../harness/set-up-world.ts';
import type { TestServer } from '../harness/test-server.ts';
import { visit } from '../harness/visit-server.ts';

const secretName = /secret|apiKey|privateKey|hash|password|token$/i;

/** Response fields that are named like a secret, and why they are allowed. */
const knownFields: Readonly<Record<string, { reason: string; isSecret: boolean }>> = {
  'AccessTokenResponse.access_token': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'AccessTokenResponse.id_token': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'AccessTokenResponse.refresh_token': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'AssetVerification.token': { reason: 'A claim, shown once in the response that created it.', isSecret: true },
  'AdministeredCommunityPage.paginationToken': {
    reason: 'Requests the next page, for its caller only.',
    isSecret: false,
  },
  'AuditLogPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'ChangeSetCommentPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'ClientApplication.apiKey': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'ClientApplication.clientSecret': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'ClientApplication.secret': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'ClientApplication.apiKeyHash': { reason: 'Known to existing clients; never returned.', isSecret: true },
  'ClientApplication.clientSecretHash': { reason: 'Known to existing clients; never returned.', isSecret: true },
  'CheckCommunityRolesResponse.paginationToken': {
    reason: 'Requests the next page, for its caller only.',
    isSecret: false,
  },
  'ClientAppCallPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'WebhookDeliveryPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'ClientApplicationPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'CommunityPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'CommunityWallet.txHash': { reason: 'Public on the chain.', isSecret: false },
  'ConnectedWallet.resetToken': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'DeviceCredentialPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'FinishedHandoff.idToken': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'HostedSignaturePage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'GetQuoteResponse.userIdHash': {
    reason: 'Identifies the caller on the chain, keyed so that no one else can link it to them.',
    isSecret: false,
  },
  'MiniAppRegistration.privateKey': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'MintedToken.transactionHash': { reason: 'Public on the chain.', isSecret: false },
  'NEP171TokenMetadata.media_hash': { reason: 'Of public data.', isSecret: false },
  'NEP171TokenMetadata.reference_hash': { reason: 'Of public data.', isSecret: false },
  'NearReceipt.included_in_block_hash': { reason: 'Public on the chain.', isSecret: false },
  'NearReceipt.included_in_chunk_hash': { reason: 'Public on the chain.', isSecret: false },
  'NearReceipt.originated_from_transaction_hash': { reason: 'Public on the chain.', isSecret: false },
  'NearToSign.blockHash': { reason: 'Public on the chain.', isSecret: false },
  'NearToSign.hash': { reason: 'From a transaction that its signer sends to the chain.', isSecret: false },
  'NearTransaction.included_in_block_hash': { reason: 'Public on the chain.', isSecret: false },
  'NearTransaction.included_in_chunk_hash': { reason: 'Public on the chain.', isSecret: false },
  'NearTransaction.transaction_hash': { reason: 'Public on the chain.', isSecret: false },
  'OpenedJoinPage.token': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'OrganizationWallet.txHash': { reason: 'Public on the chain.', isSecret: false },
  'PasskeyAuthenticationVerified.idToken': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'PkpClaimResponse.txHash': { reason: 'Public on the chain.', isSecret: false },
  'Plan.maxAPIKeys': { reason: 'A number of keys.', isSecret: false },
  'RoleLedgerPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'ChangeSetDetails.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'UndoPreview.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'ChangeSetPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'Token.transactionHash': { reason: 'Public on the chain.', isSecret: false },
  'TokenContract.transactionHash': { reason: 'Public on the chain.', isSecret: false },
  'TokenContractPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'TokenMetadata.transactionHash': { reason: 'Public on the chain.', isSecret: false },
  'TokenPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'TokenPermissionedChat.maxToken': { reason: 'An amount of tokens.', isSecret: false },
  'TokenPermissionedChat.minToken': { reason: 'An amount of tokens.', isSecret: false },
  'TokenPermissionedChatList.paginationToken': { reason: 'Always absent.', isSecret: false },
  'TokenPermissionedChatPage.paginationToken': {
    reason: 'Requests the next page, for its caller only.',
    isSecret: false,
  },
  'TokenSaleResult.transactionHash': { reason: 'Public on the chain.', isSecret: false },
  'Treasury.txHash': { reason: 'Public on the chain.', isSecret: false },
  'TreasuryAction.token': { reason: 'The address of a token contract.', isSecret: false },
  'TreasuryAction.txHash': { reason: 'Public on the chain.', isSecret: false },
  'TreasuryActionPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'UserAccountResult.transactionHash': { reason: 'Public on the chain.', isSecret: false },
  'UserAuthorizationPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'ActivityPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'CommunityMemberPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'GuestPassHolderPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'HeldTokenPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'MemberExportContent.paginationToken': { reason: 'Requests the next part, for its caller only.', isSecret: false },
  'MembershipPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'MyCommunityPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'RuleChangePage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'ShadowDifferencePage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'RuleDeletionPreview.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'RuleHealthPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'RuleSummaryPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'TimelinePage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'CommunityEntryPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'CommunityEventPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'DeadJobPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'MiniAppRegistrationPage.paginationToken': {
    reason: 'Requests the next page, for its caller only.',
    isSecret: false,
  },
  'PersonEntryPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'TicketEntryPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'WaitingListGuestPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'WalletConnectionPage.paginationToken': { reason: 'Requests the next page, for its caller only.', isSecret: false },
  'WalletConnectionResponse.resetToken': { reason: 'Shown once, in the response that created it.', isSecret: true },
  'WalletIdTokenResponse.idToken': { reason: 'Shown once, in the response that created it.', isSecret: true },
};

/** Columns that are named like a secret but contain none. */
const plainColumns = [
  'app_calls.error_code',
  'devvit_members.member_key',
  'devvit_orders.member_key',
  'followed_blocks.hash',
  'followed_chains.hash',
  'hosted_wallets.prepared_hash',
  'hosted_wallets.public_key',
  'hosted_wallets.tx_hash',
  'jobs.key',
  'jobs.lease_token',
  'jobs.unique_key',
  'leases.token',
  'migrations.hash',
  'mini_apps.public_key',
  'near_accounts.public_key',
  'near_accounts.transaction_hash',
  'near_contracts.transaction_hash',
  'near_index_cursor.hash',
  'near_intents.request_hash',
  'near_nonces.public_key',
  'near_receipt_origins.transaction_hash',
  'near_seen_receipts.block_hash',
  'near_seen_receipts.chunk_hash',
  'near_seen_transactions.block_hash',
  'near_seen_transactions.chunk_hash',
  'near_seen_transactions.hash',
  'near_seen_transactions.signer_key',
  'near_token_mints.transaction_hash',
  'near_transactions.hash',
  'near_transactions.request_hash',
  'read_holdings.block_hash',
  'rule_import_entries.source_key',
  'signing_keys.public_key',
  'treasury_actions.tx_hash',
  'webauthn_credentials.public_key',
];

/** The routes of pages and documents, which are not operations. */
const pageRoutes = [
  '/.well-known/did.json',
  '/account/x',
  '/consent/:slug',
  '/handoff/:ticket',
  '/login/:slug',
  '/login/:slug/with/:method',
  '/login/return/:method',
  '/oauth2/authorize/:uid',
  '/telegram/join/:slug',
];

/** Sealed columns that a change of the master key does not rewrap. */
const shortLived = {
  'idempotent_requests.answer': 'Kept for a day, during which the old master key must stay configured.',
};

describe('secrets', () => {
  let server: TestServer;
  let world: World;
  let journey: Journey;
  let secrets: Secret[];
  let tables: Place[];

  before(async () => {
    world = await openWorld(journeyEnvironment);
    server = world.server;
    journey = await takeSecretJourney(world);
    await server.worker.idle();
    await server.worker.stop(5_000);
    // From now on jobs are not run, so that their payloads are searched as well.
    const call = caller(server, journey.alice);
    await call('POST', '/dev-orgs', { name: 'Waiting', email: 'waiting@example.org' });
    const { apiKey } = await call('PATCH', `/client-apps/${journey.appId}/reset-api-key`);
    secrets = [...journey.secrets, { name: 'newest API key', value: apiKey }, ...(await openSealedValues(server))];
    tables = (await dumpTables(server)).map(({ table, row }) => ({ where: table, text: row }));
  });
  after(() => server.close());

  test('none of any kind is in any row of the database', (t) => {
    assert.deepEqual(findSecrets(secrets, tables), []);
    t.diagnostic(`${secrets.length} secrets, ${tables.length} rows`);
  });

  test('none of any kind is in the log, not even at the most verbose level', (t) => {
    const lines = server.logLines.map((text) => ({ where: 'the log', text }));
    assert.deepEqual(findSecrets(secrets, lines), []);
    t.diagnostic(`${secrets.length} secrets, ${lines.length} lines`);
  });

  test('would be found if they were there', () => {
    const visible = findSecrets([{ name: 'name', value: 'Journey application' }], tables);
    assert.ok(visible.length > 0);
    for (const { name, value } of secrets) {
      const bytes = Buffer.from(value);
      const writings = [bytes.toString('hex'), bytes.toString('base64'), bytes.toString('base64url')];
      writings.push(Buffer.from(`{"x":"${bytes.toString('latin1')}"}`, 'latin1').toString('base64url'));
      if (typeof value === 'string') writings.push(`"${value}"`, `?key=${encodeURIComponent(value)}`);
      for (const text of writings)
        assert.equal(findSecrets([{ name, value }], [{ where: 'here', text }]).length, 1, text);
    }
  });

  test('of every kind were issued, so that the search is meaningful', () => {
    const kinds = new Set(secrets.map(({ name }) => name));
    // The plaintext of the master key check is public.
    const columns = sealedColumns.filter(({ table }) => table !== 'master_key_check');
    const sealed = columns.map(({ table, column }) => `${table}.${column}`);
    assert.deepEqual(
      sealed.filter((column) => !kinds.has(column)),
      [],
    );
    assert.ok(kinds.size >= sealed.length + 90, `${kinds.size}`);
  });

  test('do not reach the log through URLs: requests are logged by their pattern', () => {
    const operations = served.map(({ path }) => path.replace(/\{(\w+)\}/g, ':$1'));
    const patterns = new Set([...operations, ...pageRoutes, 'unknown', '/*']);
    const lines = server.logLines.map((line) => JSON.parse(line) as { msg: string; route?: string });
    const routes = lines.flatMap(({ route }) => route ?? []);
    assert.ok(routes.includes('/states/:slug') && routes.length > 20);
    assert.deepEqual(
      routes.filter((route) => !patterns.has(route)),
      [],
    );
  });

  test('are never returned again: reading shows none, neither to their owner nor to the operator', async () => {
    const handedOut = journey.secrets.filter(({ name }) => name !== 'content of a state');
    const samples = {
      ...world.samples,
      id: journey.appId,
      orgId: journey.organizationId,
      organizationId: journey.organizationId,
    };
    for (const operation of served.filter(({ method }) => method === 'GET')) {
      for (const headers of [{ authorization: journey.alice }, { 'x-api-key': server.adminKey }] as Record<
        string,
        string
      >[]) {
        const { text, json } = await visit(server, sampleRequest(operation, samples), headers);
        assert.deepEqual(findSecrets(handedOut, [{ where: operation.route, text }]), []);
        // An export lists every stored column of a user, except those that are typed as secrets.
        if (operation.route !== 'GET /latchkey/account/export')
          assert.deepEqual(secretsNamedIn(json), [], operation.route);
      }
    }
  });

  test('are typed as secrets in the database, and every encrypted one follows a change of the master key', async () => {
    const columns = await asSuperuser(server, (query) =>
      query(`select table_name || '.' || column_name as name, domain_name as domain from information_schema.columns
             where table_schema = 'public' order by 1`),
    );
    const plain = columns.filter(
      ({ name, domain }) => /(secret|token|key|code|password|hash)$/.test(String(name)) && domain === null,
    );
    assert.deepEqual(
      plain.map(({ name }) => name),
      plainColumns,
    );
    const sealed = columns.filter(({ domain }) => domain === 'sealed_secret').map(({ name }) => String(name));
    const followed = sealedColumns.map(({ table, column }) => `${table}.${column}`);
    assert.deepEqual([...followed, ...Object.keys(shortLived)].sort(), sealed.sort());
  });
});

test('no response has a field that is named like a secret, except those listed here with their reason', () => {
  const fields = served
    .flatMap(({ answer }) => (answer.schema === undefined ? [] : fieldsOf(asJsonSchema(answer.schema))))
    .filter(({ name }) => secretName.test(name));
  assert.deepEqual(
    [...new Set(fields.map(({ record, name }) => `${record}.${name}`))].sort(),
    Object.keys(knownFields).sort(),
  );
});

/** Returns the fields of a response that are named like a secret and have a value. */
function secretsNamedIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const isKnown = Object.entries(knownFields).some(
      ([field, { isSecret }]) => field.endsWith(`.${name}`) && !isSecret,
    );
    return secretName.test(name) && !isKnown ? [name] : secretsNamedIn(inner);
  });
}
