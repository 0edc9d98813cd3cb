import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Operation } from '@latchkey/kernel';
import { findSecrets } from '../harness/find-secrets.ts';
import { asJsonSchema, type JsonSchema } from '../harness/json-schema.ts';
import { dumpTables } from '../harness/read-tables.ts';
import { sampleRequest } from '../harness/sample-request.ts';
import { served } from '../harness/served.ts';
import { openWorld, rightCredential, type World } from '../harness/settle-world.ts';
import type { TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';

const aboutApps =
  'name email feedback url icon clientType redirectUris allowedGrantTypes allowedOrigins allowedReferrers allowedIpAddresses subscribeEvents webhookUrl';

const aboutCommunities =
  'name link serverImage welcomeMessage network cashtag tokenAddress iconURL inviteLink disableBkgBalCheck';

const aboutRules =
  'name description roleId minToken maxToken chainId tokenSymbol tokenId collectionName eventId platform contractAddress type scheme query variables asset requiresMetadata version';

const aboutWallets =
  'id address accountId metadata verifyOnly proxyType walletType network selectedWallet venlyWallets venlyWalletData state';

const aboutSales = 'chainId marketContract tokenContract tokenId';

/** What the sender of a body decides. Everything else is the server's to set. */
const decides: Readonly<Record<string, string>> = {
  'POST /client-apps': `${aboutApps} pk`,
  'PUT /client-apps/{id}': `${aboutApps} status tenant requestedScopes allowedScopes disallowedScopes`,
  'PATCH /client-apps/{id}': 'name',
  'POST /access-control/check-roles': 'account rules callbackUrl async',
  'POST /account/wallet-address': 'chainId address message signedMessage',
  'POST /analytics/{communityId}/role-distribution': 'color id name',
  'POST /analytics/{communityId}/roles-added': 'color id name',
  'POST /asset-verification': 'socialId openseaUrl mediaUrl account assets',
  'POST /communities': `${aboutCommunities} platform communityId pk`,
  'PUT /communities/{id}': `${aboutCommunities} status adminUserId channels quests drops`,
  'PATCH /communities/{id}': `${aboutCommunities} status adminUserId channels quests drops`,
  'POST /communities/{id}/tpcs': aboutRules,
  'PUT /communities/{id}/tpcs/{tpcId}': aboutRules,
  'POST /dev-orgs': 'name email',
  'POST /evm/venly/callback': aboutWallets,
  'POST /wallet-manager/marketplace-magic-codes': 'marketplace account id',
  'POST /wallet-manager/marketplace-wallet-connections': 'marketplace account id magicCode proof',
  'POST /wallet-manager/wallet-connections/resume': 'proxyAddress state address',
  'PUT /wallet-manager/wallet-connections': `${aboutWallets} chainId signature message publicKey public_key didToken gnosisSignerAddress proxyRegistry walletSubType walletAddress signInState walletSk communityId platform`,
  'POST /dev-orgs/verify': 'otp',
  'POST /discord/guilds/{guildId}/roles': 'name color hoist position mentionable permissions',
  'POST /discord/{guildId}/guest-passes': 'name description roleSet status period',
  'POST /reddit/community': 'communityName botToken',
  'POST /role-manager/check-community-roles': 'communityId userId',
  'POST /role-manager/check-user-roles': 'communityId userId',
  'POST /role-manager/schedule': 'communityId userId delay',
  'PATCH /webauthn/credentials/{id}': 'name',
  'POST /webauthn/authentication/store': 'id rawId type response clientExtensionResults',
  'POST /webauthn/authentication/verify': 'id rawId type response clientExtensionResults slug',
  'POST /webauthn/registration/verify':
    'id rawId type response authenticatorAttachment clientExtensionResults name userAgent',
  'POST /freshdesk/tickets':
    'subject description communityId type priority parent_id status requester_id responder_id custom_fields group_id product_id email tags cc_emails',
  'POST /miniapps': 'pk name icon description feedback url platforms metadata',
  'PATCH /miniapps/{miniAppId}': 'name',
  'POST /near-nft/bridge-tokens/withdraw': 'chainId bridgeTokenContract sender recipient amount',
  'POST /near-nft/market-contracts': 'contractId ftTokenIds ownerAccount chainId',
  'POST /near-nft/market-contracts/accept': `${aboutSales} buyer price seller`,
  'POST /near-nft/market-contracts/buy': `${aboutSales} buyer price`,
  'POST /near-nft/market-contracts/get-sale': aboutSales,
  'POST /near-nft/market-contracts/remove-sale': `${aboutSales} seller isAuction prices`,
  'POST /near-nft/market-contracts/sell': `${aboutSales} seller isAuction prices`,
  'POST /near-nft/market-contracts/update-price': `${aboutSales} seller isAuction prices`,
  'POST /near-nft/token-contracts': 'name metadataUrl tokenOptions properties metadata owner contractId',
  'POST /near-nft/token-contracts/{address}': 'id type name metadataUrl properties metadata contractVersion',
  'POST /near-nft/token-contracts/{address}/token-types': 'types locked',
  'POST /near-nft/tokens/transfer': 'tokenAddress tokenId sender receiver price',
  'POST /near-nft/users': 'accountId publicKey extraPublicKeys signature',
  'POST /nft-contracts/{chainId}/{address}':
    'name description image external_link seller_fee_basis_points fee_recipient',
  'POST /nft-tokens/{chainId}/{address}/{id}': 'name description image transactionHash decimals properties',
  // An application may also name itself in the body (RFC 6749 2.3.1).
  'POST /oauth2/introspect': 'token token_type_hint client_id',
  'POST /oauth2/revoke': 'token token_type_hint client_id',
  'POST /oauth2/token':
    'grant_type scope code redirect_uri code_verifier client_id client_secret username password refresh_token',
  'POST /pkp/sign-message': 'address message otp',
  'POST /snapshot/communities/{communityId}/space': 'channels space',
  'PUT /snapshot/communities/{communityId}/space/{space}': 'channels',
  'POST /snapshot/webhook/event': 'id event space token secret expire',
  'POST /stripe/donation': 'price recurring confirmationMessage redirectUri',
  'POST /stripe/subscription/{planId}': 'state organizationId redirectUri',
  'POST /telefrens/biconomy/paymaster-webhook': 'data',
  'POST /unlock/subscription/{planId}': 'state organizationId redirectUri',
  'POST /user-authorizations/{slug}': 'rememberDecisions scopes',
  'POST /ethereum-login/challenges': 'state uri domain accountId resources',
  'POST /ethereum-login/id-tokens': 'requestId signature signatureType accountId scopes',
};

/** Bodies that belong to the sender altogether. */
const free: Readonly<Record<string, string>> = {
  'PATCH /communities/{id}/admins': 'A list of users, and nothing else.',
  'PATCH /discord/webhooks/{interactionId}/messages/{messageId}': 'A message, as Discord takes them.',
  'POST /communities/{communityId}/apps/{appId}': 'The settings of a mini-app, which are its own.',
  'POST /discord/webhooks/{interactionId}': 'A message, as Discord takes them.',
  'POST /discord/{guildId}/channels/{channelId}/message': 'A message, as Discord takes them.',
  'POST /hello-action/events': 'What this server itself has signed.',
  'POST /hello-action/interactions': 'What this server itself has signed.',
  'POST /near-nft/market-contracts/{address}/ft-token-ids': 'A list of accounts, and nothing else.',
  'POST /near-nft/token-contracts/{address}/token-types/unlock': 'A list of types, and nothing else.',
  'POST /states': 'Whatever the caller wants to find again.',
  'POST /stripe/webhook': 'What the payment provider has signed.',
  'PUT /log/settings': 'Levels by the names of processes.',
};

const always = ['isAdmin', 'ownerId', 'createdById', 'apiKeyHash', 'planId', 'verifiedAt', 'allowedScopes', 'counter'];
const marker = 'smuggled-in';

/** The fields a body could be stuffed with, each with a value that can be told from what the server sets. */
function contraband({ route, body, answer }: Operation): Record<string, unknown> {
  const fields = { ...propertiesOf(answer.schema), ...propertiesOf(body?.schema) };
  const own = (decides[route] ?? '').split(' ');
  const names = [...new Set([...Object.keys(fields), ...always])].filter((name) => !own.includes(name));
  return Object.fromEntries(
    names.map((name) => [name, fields[name]?.type === 'boolean' ? marker : valueFor(fields[name] ?? {})]),
  );
}

/** The fields of an object, or of the objects in a list. */
function propertiesOf(schema: object | undefined): Record<string, JsonSchema> {
  const { properties, items } = asJsonSchema(schema ?? {});
  return properties ?? items?.properties ?? {};
}

function valueFor({ type, enum: words, items, properties }: JsonSchema): unknown {
  if (words !== undefined) return words.at(-1);
  // Told from what the server sets only together with the texts around it.
  if (type === 'boolean') return true;
  if (type === 'array') return [valueFor(items ?? {})];
  if (type === 'object') {
    const fields = Object.entries(properties ?? {});
    return fields.length === 0
      ? { [marker]: marker }
      : Object.fromEntries(fields.map(([name, inner]) => [name, valueFor(inner)]));
  }
  return type === 'number' ? 987_654_321 : marker;
}

/** Puts the fields into a body, or into each object of a list. */
function stuff(body: unknown, extra: Record<string, unknown>): unknown {
  return Array.isArray(body) ? body.map((item) => stuff(item, extra)) : { ...extra, ...(body as object) };
}

describe('fields that only the server sets', () => {
  let server: TestServer;
  let world: World;
  before(async () => {
    world = await openWorld(behindProxy);
    server = world.server;
  });
  after(() => server.close());

  for (const operation of served.filter(({ route }) => route in decides)) {
    test(`are not read from the body of ${operation.route}`, async () => {
      const draft = sampleRequest(operation, world.samples);
      const extra = contraband(operation);
      draft.body = stuff(draft.body, extra);
      const { status, text, json } = await visit(server, draft, await rightCredential(world, operation));
      assert.equal(status, operation.answer.status, text);
      for (const answer of [json].flat())
        for (const [name, value] of Object.entries(extra)) assert.notDeepEqual(answer?.[name] ?? null, value, name);
      // Also inside of a token, which carries what it says in base64.
      assert.deepEqual(findSecrets([{ name: 'contraband', value: marker }], [{ where: 'the answer', text }]), []);
      const rows = (await dumpTables(server)).filter(({ row }) => row.includes(marker) || row.includes('987654321'));
      assert.deepEqual(rows, []);
    });
  }
});

test('it is known of every body what its sender decides', () => {
  const withBody = served.filter(({ body }) => body !== undefined).map(({ route }) => route);
  assert.deepEqual(withBody.sort(), [...Object.keys(decides), ...Object.keys(free)].sort());
});
