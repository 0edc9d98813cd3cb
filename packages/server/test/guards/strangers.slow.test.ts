import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Operation, placeOf } from '@latchkey/kernel';
import { malloryId } from '../harness/identities.ts';
import { asJsonSchema, fieldsOf } from '../harness/json-schema.ts';
import { people } from '../harness/outside-world.ts';
import { fingerprintTables } from '../harness/read-tables.ts';
import type { Headers } from '../harness/refused-credentials.ts';
import { type Draft, sampleRequest } from '../harness/sample-request.ts';
import { isClosedToTokens, isInternalOnly, isOpen, isOperatorOnly, served } from '../harness/served.ts';
import type { CommunityFixture } from '../harness/set-up-community.ts';
import { space } from '../harness/set-up-partners.ts';
import { isOnTelegram, openWorld, type World } from '../harness/set-up-world.ts';
import type { TestAnswer, TestServer } from '../harness/test-server.ts';
import { behindProxy, visit } from '../harness/visit-server.ts';
import { factsOf } from '../operation-facts/index.ts';
import { screensSuite } from './screens.suite.ts';

const forUsers = served.filter((operation) => !isOpen(operation) && !isOperatorOnly(operation));

/** A place in a request that names an object with an owner. */
interface Naming {
  operation: Operation;
  what: string;
  put(draft: Draft, id: string): void;
}

/** Parameters and fields that name an object with an owner, in addition to those in the access rules. */
const namedBesides: Readonly<Record<string, string>> = {
  'POST /client-apps pk': 'organization',
  'DELETE /account/wallets/{address} address': 'wallet',
  'GET /latchkey/client-apps/{id}/deliveries/{deliveryId} deliveryId': 'delivery',
  'POST /latchkey/client-apps/{id}/deliveries/{deliveryId}/resend deliveryId': 'delivery',
  'POST /latchkey/client-apps/{id}/events/replay communityId': 'community',
  'DELETE /latchkey/account/sessions/{id} id': 'session',
  'PUT /latchkey/account/wallets/{id}/sign-in id': 'wallet link',
  'DELETE /latchkey/account/wallets/{id}/sign-in id': 'wallet link',
  'GET /latchkey/account/communities/{communityId}/roles communityId': 'community',
  'GET /latchkey/account/communities/{communityId}/role-check communityId': 'community',
  'GET /latchkey/account/communities/{communityId}/role-steps communityId': 'community',
  'POST /latchkey/account/communities/{communityId}/role-check communityId': 'community',
  'GET /role-manager/roles communityId': 'community',
  'POST /role-manager/roles communityId': 'community',
  'POST /role-manager/check-community-roles communityId': 'community',
  'POST /role-manager/check-user-roles communityId': 'community',
  'POST /role-manager/schedule communityId': 'community',
  'DELETE /wallet-manager/wallet-connections/{walletSk} walletSk': 'wallet',
  'PUT /wallet-manager/wallet-connections communityId': 'community',
  'POST /freshdesk/tickets communityId': 'community',
  'POST /miniapps pk': 'organization',
  'POST /stripe/subscription/{planId} organizationId': 'organization',
  'DELETE /stripe/subscription/{planId}/subscriber/{subscriberId} subscriberId': 'organization',
  'POST /unlock/subscription/{planId} organizationId': 'organization',
  'POST /latchkey/plans/{planId}/checkout subscriberId': 'organization',
};

/** Objects that have an owner and are public. */
const publicThings = ['token contract', 'market contract'];

/** Parts of a community, which are looked up within the community that admits the caller. */
const parts: Readonly<Record<string, (community: CommunityFixture) => string>> = {
  'PUT /communities/{id}/tpcs/{tpcId} tpcId': ({ ruleId }) => ruleId,
  'DELETE /communities/{id}/tpcs/{tpcId} tpcId': ({ ruleId }) => ruleId,
  'DELETE /discord/{guildId}/guest-passes/{passId} passId': ({ passId }) => passId,
  'POST /discord/{guildId}/channels/{channelId}/message channelId': ({ channelId }) => channelId,
  'GET /discord/{guildId}/member/{memberId} memberId': () => people.alice.userId,
  'GET /latchkey/communities/{communityId}/guest-passes/{passId}/holders passId': ({ passId }) => passId,
  'PUT /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId} passId': ({ passId }) => passId,
  'DELETE /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId} passId': ({ passId }) => passId,
  'GET /latchkey/communities/{communityId}/change-sets/{changeSetId} changeSetId': ({ changeSets }) => changeSets.shown,
  'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}/undo changeSetId': ({ changeSets }) =>
    changeSets.failed,
  'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/approve changeSetId': ({ changeSets }) =>
    changeSets.approved,
  'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/reject changeSetId': ({ changeSets }) =>
    changeSets.rejected,
  'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/undo changeSetId': ({ changeSets }) =>
    changeSets.undone,
  'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/retry changeSetId': ({ changeSets }) =>
    changeSets.failed,
  'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/approve-grants changeSetId': ({ changeSets }) =>
    changeSets.granting,
  'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/reject-and-restore changeSetId': ({
    changeSets,
  }) => changeSets.restorable,
  'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}/reasons changeSetId': ({ changeSets }) =>
    changeSets.shown,
  'GET /latchkey/communities/{communityId}/change-sets/{changeSetId}/comments changeSetId': ({ changeSets }) =>
    changeSets.shown,
  'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/comments changeSetId': ({ changeSets }) =>
    changeSets.shown,
  'DELETE /latchkey/communities/{communityId}/change-sets/{changeSetId}/comments/{commentId} changeSetId': ({
    changeSets,
  }) => changeSets.shown,
  'DELETE /latchkey/communities/{communityId}/change-sets/{changeSetId}/comments/{commentId} commentId': ({
    changeSets,
  }) => changeSets.commentId,
  'GET /latchkey/communities/{communityId}/rules/{ruleId} ruleId': ({ ruleId }) => ruleId,
  'PUT /latchkey/communities/{communityId}/rules/{ruleId} ruleId': ({ ruleId }) => ruleId,
  'DELETE /latchkey/communities/{communityId}/rules/{ruleId} ruleId': ({ ruleId }) => ruleId,
  'GET /latchkey/communities/{communityId}/rules/{ruleId}/deletion ruleId': ({ ruleId }) => ruleId,
  'GET /latchkey/communities/{communityId}/rules/{ruleId}/history ruleId': ({ ruleId }) => ruleId,
  'POST /latchkey/communities/{communityId}/rule-drafts/describe ruleId': ({ ruleId }) => ruleId,
  'POST /latchkey/communities/{communityId}/rule-drafts/preview ruleId': ({ ruleId }) => ruleId,
  'DELETE /latchkey/communities/{communityId}/rule-drafts/{draftId} draftId': ({ draftId }) => draftId,
  'GET /latchkey/communities/{communityId}/rule-imports/{importId} importId': ({ importId }) => importId,
  'POST /latchkey/communities/{communityId}/rule-imports/{importId}/apply importId': ({ importId }) => importId,
  'GET /latchkey/communities/{communityId}/members/{userId}/roles userId': () => people.alice.userId,
  'GET /latchkey/communities/{communityId}/members/{userId} userId': () => people.alice.userId,
  'GET /latchkey/communities/{communityId}/member-exports/{exportId}/content exportId': ({ exportId }) => exportId,
  'PUT /snapshot/communities/{communityId}/space/{space} space': () => space,
  'DELETE /snapshot/communities/{communityId}/space/{space} space': () => space,
};

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

  const credentialsFor = (operation: Operation) => {
    if (isOnTelegram(operation)) return { 'AE token of Telegram': { authorization: world.onTelegram.mallory } };
    if (isInternalOnly(operation)) return internal;
    const { 'access token of an application': delegated, ...own } = mallory;
    return isClosedToTokens(operation) || delegated === undefined ? own : mallory;
  };

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

  /** The content of the tables at the end of the previous test: nothing happens between two tests. */
  let lastRows: Record<string, string> | undefined;

  /** Checks that requests that must be refused change nothing. */
  async function assertUnchanged(work: () => Promise<void>): Promise<void> {
    const atFirst = lastRows ?? (await rowsOf(server));
    lastRows = undefined;
    await work();
    lastRows = await rowsOf(server);
    assert.deepEqual(lastRows, atFirst);
  }

  async function ask({ operation, put }: Naming, id: string, headers: Headers): Promise<TestAnswer> {
    const draft = sampleRequest(operation, world.samples);
    put(draft, id);
    return visit(server, draft, headers);
  }

  for (const naming of namings) {
    const { operation, what } = naming;
    test(`gets the response for a missing ${what} from ${operation.route}, byte for byte`, async () => {
      const owned = world.owned[what];
      assert.ok(owned, `there is no ${what} in the world of these tests`);
      await assertUnchanged(async () => {
        for (const [credential, headers] of Object.entries<Headers>(credentialsFor(operation))) {
          const missing = await ask(naming, owned.missing, headers);
          assert.equal(missing.status, 404, `${credential}: ${missing.text}`);
          assert.deepEqual(visible(await ask(naming, owned.id, headers)), visible(missing), credential);
        }
      });
    });
  }

  for (const [name, idOf] of Object.entries(parts)) {
    const [method, path, param = ''] = name.split(' ');
    test(`does not reach the ${param} of another user’s community through ${method} ${path} on their own`, async () => {
      const operation = forUsers.find(({ route }) => route === `${method} ${path}`);
      assert.ok(operation);
      const own = { [`${operation.route} ${operation.contract.access.object?.param}`]: world.foreign.id };
      const sent = world.outside.discord.sentMessages(world.community.channelId).length;
      await assertUnchanged(async () => {
        for (const headers of Object.values<Headers>(credentialsFor(operation))) {
          const draft = sampleRequest(operation, { ...world.samples, ...own });
          draft.path[param] = idOf(world.community);
          const { status, text } = await visit(server, draft, headers);
          assert.equal(status, 404, text);
        }
      });
      assert.equal(world.outside.discord.sentMessages(world.community.channelId).length, sent);
    });
  }

  test('finds nothing of other users in what they may read', async () => {
    const ids = Object.entries(world.owned).flatMap(([what, { id }]) => (publicThings.includes(what) ? [] : [id]));
    const named = new Set(namings.map(({ operation }) => operation));
    const reads = forUsers.filter((operation) => operation.method === 'GET' && !named.has(operation));
    assert.ok(reads.length >= 5);
    for (const operation of reads) {
      for (const headers of Object.values<Headers>(credentialsFor(operation))) {
        const { status, text } = await visit(server, sampleRequest(operation, world.samples), headers);
        assert.equal(status, operation.answer.status, `${operation.route}: ${text}`);
        assert.ok(!ids.some((id) => text.includes(id)) && !text.includes('acme@'), operation.route);
      }
    }
  });

  // Runs here, because the world is set up anyway.
  describe('on the console’s screens', () => screensSuite(() => world));

  test('cannot use a one-time password that was mailed to another user', async () => {
    const verify = served.find(({ route }) => route === 'POST /dev-orgs/verify');
    assert.ok(verify);
    const answer = await visit(server, sampleRequest(verify, world.samples), { authorization: world.mallory });
    assert.equal(answer.json.error.code, 'INVALID_OTP');
  });
});

test('every id that a request can name is declared as owned or unowned', () => {
  const names = forUsers.flatMap((operation) => {
    const owner = operation.contract.access.object?.param;
    const params = Object.keys(operation.params).filter(
      (name) => name !== owner && (operation.path.includes(`{${name}}`) || isIdName(name)),
    );
    const fields = new Set(bodyFields(operation).filter(isIdName));
    return [...params, ...fields].map((name) => `${operation.route} ${name}`);
  });
  const ofNobody = served.flatMap((operation) =>
    Object.keys(factsOf(operation).idsOfNobody ?? {}).map((name) => `${operation.route} ${name}`),
  );
  const known = [...[namedBesides, parts].flatMap((list) => Object.keys(list)), ...ofNobody];
  assert.deepEqual(names.sort(), known.sort());
});

const changing = /^(x-request-id|date|x-ratelimit-.*|ratelimit)$/;

/** Returns what a caller sees of a response, without what always differs between requests. */
function visible({ status, headers, text }: TestAnswer) {
  return { status, text, headers: [...headers].filter(([name]) => !changing.test(name)) };
}

async function rowsOf(server: TestServer): Promise<Record<string, string>> {
  const { rate_windows: _counters, processes: _heartbeats, ...rest } = await fingerprintTables(server);
  return rest;
}
