import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Operation, placeOf } from '@latchkey/kernel';
import { malloryId } from '../harness/identities.ts';
import { asJsonSchema, fieldsOf } from '../harness/json-schema.ts';
import { people } from '../harness/outside-world.ts';
import { fingerprintTables } from '../harness/read-tables.ts';
import type { Headers } from '../harness/refused-credentials.ts';
import { type Draft, sampleRequest } from '../harness/sample-request.ts';
import { isInternalOnly, isOpen, isOperatorOnly, served } from '../harness/served.ts';
import type { SettledCommunity } from '../harness/settle-community.ts';
import { openWorld, type World } from '../harness/settle-world.ts';
import type { TestAnswer, TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';

const forUsers = served.filter((operation) => !isOpen(operation) && !isOperatorOnly(operation));

/** Where a request names something that belongs to somebody. */
interface Naming {
  operation: Operation;
  what: string;
  put(draft: Draft, id: string): void;
}

/** Parameters and fields that name something of somebody, beside the parameters that the access rules name. */
const namedBesides: Readonly<Record<string, string>> = {
  'POST /client-apps pk': 'organization',
  'DELETE /account/wallets/{address} address': 'wallet',
  'GET /role-manager/roles communityId': 'community',
  'POST /role-manager/roles communityId': 'community',
  'POST /role-manager/check-community-roles communityId': 'community',
  'POST /role-manager/check-user-roles communityId': 'community',
  'POST /role-manager/schedule communityId': 'community',
  'DELETE /wallet-manager/wallet-connections/{walletSk} walletSk': 'wallet',
  'PUT /wallet-manager/wallet-connections communityId': 'community',
};

/** Parts of a community, which are looked for within the community that admits the caller. */
const parts: Readonly<Record<string, (community: SettledCommunity) => string>> = {
  'PUT /communities/{id}/tpcs/{tpcId} tpcId': ({ ruleId }) => ruleId,
  'DELETE /communities/{id}/tpcs/{tpcId} tpcId': ({ ruleId }) => ruleId,
  'DELETE /discord/{guildId}/guest-passes/{passId} passId': ({ passId }) => passId,
  'POST /discord/{guildId}/channels/{channelId}/message channelId': ({ channelId }) => channelId,
  'GET /discord/{guildId}/member/{memberId} memberId': () => people.alice.userId,
};

/** Ids that are nobody's in particular. */
const ownedByNobody: Readonly<Record<string, string>> = {
  'POST /communities/{communityId}/apps/{appId} appId': 'Every community may install every app that admits it.',
  'DELETE /communities/{communityId}/apps/{appId} appId': 'The same app may be installed in many communities.',
  'GET /access-control/{communityId}/{userId}/roles userId': 'Somebody in the community that admits the caller.',
  'GET /role-manager/roles userId': 'Somebody in a community that the caller manages, or the caller.',
  'POST /role-manager/roles userId': 'Somebody in a community that the caller manages, or the caller.',
  'POST /role-manager/check-community-roles userId': 'Somebody in the community that admits the caller.',
  'POST /role-manager/check-user-roles userId': 'Somebody in the community that admits the caller.',
  'POST /role-manager/schedule userId': 'Somebody in the community that admits the caller.',
  'GET /asset-list/{account} account': 'What an address holds is public on its chain.',
  'GET /asset-ownership/{account} account': 'What an address holds is public on its chain.',
  'GET /ethereum-nfts/{address}/attributes address': 'A contract, public on its chain.',
  'GET /communities/plans/{planId} planId': 'The plans are the same for everyone.',
  'POST /account/wallet-address chainId': 'A chain.',
  'POST /asset-verification userId': 'Not read: a claim is always the caller’s own.',
  'POST /asset-verification socialId': 'A name to show; it gives no rights.',
  ...ofCommunities('POST /communities'),
  'POST /communities pk': 'The platform is asked whether the caller administers it.',
  'POST /communities communityId': 'The platform is asked whether the caller administers it.',
  'POST /communities ownerId': 'Read from the operator only.',
  'POST /communities adminUserId': 'Not read.',
  ...ofCommunities('PUT /communities/{id}'),
  ...ofCommunities('PATCH /communities/{id}'),
  ...ofRules('POST /access-control/check-roles'),
  ...ofRules('POST /communities/{id}/tpcs'),
  ...ofRules('PUT /communities/{id}/tpcs/{tpcId}'),
  'POST /access-control/check-roles id': 'The caller’s own name for a rule.',
  'PUT /communities/{id}/tpcs/{tpcId} id': 'Not read: the path names the rule.',
  'PUT /communities/{id}/tpcs/{tpcId} sk': 'Not read: the path names the rule.',
  'POST /analytics/{communityId}/role-distribution id': 'A role, looked for in the community that admits the caller.',
  'POST /analytics/{communityId}/roles-added id': 'A role, looked for in the community that admits the caller.',
  'POST /discord/{guildId}/guest-passes id': 'Not read, and of roles: given in the community of the pass only.',
  'POST /discord/{guildId}/guest-passes pk': 'Not read: the path names the community.',
  'POST /discord/{guildId}/guest-passes sk': 'Not read.',
  'GET /totp/{requestId} requestId': 'The id is of the caller’s own choice, and counts for that caller only.',
  'GET /dev-orgs/plans/{planId} planId': 'The plans are the same for everyone.',
  'POST /webauthn/authentication/store id': 'Every passkey may answer that can: that is how its user becomes known.',
  'POST /webauthn/authentication/store rawId': 'The same as id.',
  'POST /webauthn/authentication/verify id': 'Every passkey may answer that can: that is how its user becomes known.',
  'POST /webauthn/authentication/verify rawId': 'The same as id.',
  'POST /webauthn/registration/verify id': 'Chosen by the authenticator; one that is taken is refused.',
  'POST /webauthn/registration/verify rawId': 'The same as id.',
  'GET /webauthn/authentication/options rpID': 'A web site.',
  'POST /webauthn/authentication/options rpID': 'A web site.',
  'GET /webauthn/registration/options rpID': 'A web site.',
  'POST /webauthn/registration/options rpID': 'A web site.',
  'GET /webauthn/credentials rpId': 'A web site.',
  ...ofWallets('POST /evm/venly/callback'),
  'DELETE /wallet-manager/wallet-connections/{walletSk} id': 'A token of the caller; one of somebody else is refused.',
  'POST /wallet-manager/marketplace-magic-codes id': 'A token of the caller; one of somebody else is refused.',
  'POST /wallet-manager/marketplace-wallet-connections id': 'A token of the caller; one of somebody else is refused.',
  'POST /wallet-manager/reset-wallets/{resetToken} resetToken':
    'Known to whoever has proven the wallet, for 15 minutes.',
  ...ofWallets('PUT /wallet-manager/wallet-connections'),
  'PUT /wallet-manager/wallet-connections chainId': 'A chain.',
  'PUT /wallet-manager/wallet-connections keyId': 'A key of an account, public on its chain.',
  'POST /dev-orgs pk': 'Not read: an organization always belongs to the caller.',
};

function ofRules(route: string): Record<string, string> {
  return {
    [`${route} chainId`]: 'A chain.',
    [`${route} tokenId`]: 'A token, public on its chain.',
    [`${route} eventId`]: 'An event, public with whoever holds it.',
    [`${route} roleId`]: 'A role, given in the community of the rule only.',
  };
}

function ofWallets(route: string): Record<string, string> {
  return {
    [`${route} id`]: 'A token of the caller; one of somebody else is refused.',
    [`${route} accountId`]: 'An account, which has to sign.',
    [`${route} userId`]: 'Not read.',
  };
}

function ofCommunities(route: string): Record<string, string> {
  const names = ['id', 'pk', 'sk', 'communityId', 'ownerId', 'createdById', 'chainId', 'tokenId', 'eventId', 'roleId'];
  return {
    ...Object.fromEntries(names.map((name) => [`${route} ${name}`, 'Not read: the path names the community.'])),
    [`${route} adminUserId`]: 'A name to show; it gives no rights.',
  };
}

const namings: Naming[] = forUsers.flatMap((operation) => {
  const { object: owner } = operation.contract.access;
  const byAccess = owner === undefined ? [] : [{ operation, what: owner.what, put: putAs(operation, owner.param) }];
  const besides = [...Object.keys(operation.params), ...bodyFields(operation)].flatMap((name) => {
    const what = namedBesides[`${operation.route} ${name}`];
    return what === undefined ? [] : [{ operation, what, put: putAs(operation, name) }];
  });
  return [...byAccess, ...besides];
});

function putAs(operation: Operation, name: string): Naming['put'] {
  const schema = operation.params[name];
  const place = schema === undefined ? 'body' : placeOf(operation, name, schema);
  return (draft, id) => {
    if (place === 'path') draft.path[name] = id;
    else if (place === 'body') Object.assign(draft.body as object, { [name]: id });
    else draft.query = [...draft.query.filter(([other]) => other !== name), [name, id]];
  };
}

function isIdName(name: string): boolean {
  return /^[ps]k$|id$/i.test(name);
}

function bodyFields({ body }: Operation): string[] {
  return body === undefined ? [] : fieldsOf(asJsonSchema(body.schema)).map(({ name }) => name);
}

describe('a stranger', () => {
  let server: TestServer;
  let world: World;
  let mallory: Record<string, Headers>;
  let internal: Record<string, Headers>;

  const credentialsFor = (operation: Operation) => (isInternalOnly(operation) ? internal : mallory);

  before(async () => {
    world = await openWorld(behindProxy);
    server = world.server;
    const { id, key } = await server.apiKey(['$all'], malloryId);
    mallory = {
      'AE token': { authorization: world.mallory },
      'access token': { authorization: await server.bearer(malloryId, ['$all']) },
      'access token of an application': { authorization: await server.bearer(malloryId, ['$all'], id) },
      'AE token and API key': { authorization: world.mallory, 'x-api-key': key },
    };
    const { key: internalKey } = await server.apiKey(['$internal'], malloryId);
    internal = {
      'AE token through an application of the operator': { authorization: world.mallory, 'x-api-key': internalKey },
    };
    await server.worker.idle();
    await server.worker.stop(5_000);
  });
  after(() => server.close());

  async function ask({ operation, put }: Naming, id: string, headers: Headers): Promise<TestAnswer> {
    const draft = sampleRequest(operation, world.samples);
    put(draft, id);
    return visit(server, draft, headers);
  }

  for (const naming of namings) {
    const { operation, what } = naming;
    test(`gets the answer for a missing ${what} from ${operation.route}, to the byte`, async () => {
      const owned = world.owned[what];
      assert.ok(owned, `there is no ${what} in the world of these tests`);
      const atFirst = await rowsOf(server);
      for (const [credential, headers] of Object.entries(credentialsFor(operation))) {
        const missing = await ask(naming, owned.missing, headers);
        assert.equal(missing.status, 404, `${credential}: ${missing.text}`);
        assert.deepEqual(visible(await ask(naming, owned.id, headers)), visible(missing), credential);
      }
      assert.deepEqual(await rowsOf(server), atFirst);
    });
  }

  for (const [name, idOf] of Object.entries(parts)) {
    const [method, path, param = ''] = name.split(' ');
    test(`does not reach the ${param} of somebody else’s community by ${method} ${path} on their own`, async () => {
      const operation = forUsers.find(({ route }) => route === `${method} ${path}`);
      assert.ok(operation);
      const own = { [`${operation.route} ${operation.contract.access.object?.param}`]: world.foreign.id };
      const atFirst = await rowsOf(server);
      const sent = world.outside.discord.sentMessages(world.community.channelId).length;
      for (const headers of Object.values(mallory)) {
        const draft = sampleRequest(operation, { ...world.samples, ...own });
        draft.path[param] = idOf(world.community);
        const { status, text } = await visit(server, draft, headers);
        assert.equal(status, 404, text);
      }
      assert.deepEqual(await rowsOf(server), atFirst);
      assert.equal(world.outside.discord.sentMessages(world.community.channelId).length, sent);
    });
  }

  test('finds nothing of anybody else in what they may read', async () => {
    const ids = Object.values(world.owned).map(({ id }) => id);
    const reads = forUsers.filter(({ method, contract }) => method === 'GET' && contract.access.object === undefined);
    assert.ok(reads.length >= 5);
    for (const operation of reads) {
      for (const headers of Object.values(mallory)) {
        const { status, text } = await visit(server, sampleRequest(operation, world.samples), headers);
        assert.equal(status, operation.answer.status, `${operation.route}: ${text}`);
        assert.ok(!ids.some((id) => text.includes(id)) && !text.includes('acme@'), operation.route);
      }
    }
  });

  test('cannot use a one-time password that was mailed to somebody else', async () => {
    const verify = served.find(({ route }) => route === 'POST /dev-orgs/verify');
    assert.ok(verify);
    const answer = await visit(server, sampleRequest(verify, world.samples), { authorization: world.mallory });
    assert.equal(answer.json.error.code, 'INVALID_OTP');
  });
});

test('every id that a request can name is known to be somebody’s or nobody’s', () => {
  const names = forUsers.flatMap((operation) => {
    const owner = operation.contract.access.object?.param;
    const params = Object.keys(operation.params).filter(
      (name) => name !== owner && (operation.path.includes(`{${name}}`) || isIdName(name)),
    );
    const fields = new Set(bodyFields(operation).filter(isIdName));
    return [...params, ...fields].map((name) => `${operation.route} ${name}`);
  });
  const known = [namedBesides, parts, ownedByNobody].flatMap((list) => Object.keys(list));
  assert.deepEqual(names.sort(), known.sort());
});

const changing = /^(x-request-id|date|x-ratelimit-.*)$/;

/** What a caller sees of an answer, without what differs from one request to the next in any case. */
function visible({ status, headers, text }: TestAnswer) {
  return { status, text, headers: [...headers].filter(([name]) => !changing.test(name)) };
}

async function rowsOf(server: TestServer): Promise<Record<string, string>> {
  const { rate_windows: _counters, processes: _heartbeats, ...rest } = await fingerprintTables(server);
  return rest;
}
