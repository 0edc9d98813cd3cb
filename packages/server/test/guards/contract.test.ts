import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { changes, resources } from '@latchkey/core';
import {
  acceptedBy,
  acceptedKinds,
  callingPages,
  credentialKinds,
  errorCodes,
  events,
  isChange,
  originKinds,
  type Resource,
  readerOf,
  roles,
  scopeAliases,
  scopes,
} from '@latchkey/kernel';
import { isTestFile, readSources } from '../../../../scripts/architecture/sources.ts';
import { compileEagerly } from '../../src/http/compile.ts';
import { readInventory } from '../../src/inventory.ts';
import { asJsonSchema, fieldsOf, type JsonSchema } from '../harness/json-schema.ts';
import { readTable } from '../harness/read-manual.ts';
import { isByKnowledge, served } from '../harness/served.ts';

const sources = readSources().filter(({ path }) => /^packages\/[\w-]+\/src\//.test(path) && !isTestFile(path));

const code = (text: string) => `\`${text}\``;

test('every operation states who may call it', () => {
  for (const operation of served) {
    const { route, contract } = operation;
    const { access } = contract;
    const isStated = access.roles.length > 0 || access.scopes.includes('$public');
    assert.ok(isStated || isByKnowledge(operation), `${route} is open without saying so`);
    assert.ok(
      access.roles.every((role) => roles.includes(role)),
      route,
    );
    assert.ok(
      access.scopes.every((scope) => Object.hasOwn(scopes, scope)),
      route,
    );
    assert.ok(access.object === undefined || access.object.param in (contract.params ?? {}), `${route} has no such id`);
  }
});

/** Reads of a community that an API key cannot make, and why. It can make all others in communities that it lists. */
const notForKeys: Readonly<Record<string, string>> = {
  'GET /communities/{id}/premium-support': 'Support is for the admins of the community.',
  'GET /marketplace/communities/{communityId}/apps': 'It shows how other developers’ mini-apps are set up.',
  'GET /reddit/unlink-token': 'It changes something, though it is a GET.',
};

test('an API key reads what the published API has about a community that it lists', () => {
  const closed = served.filter(
    ({ method, contract: { sdk, access } }) =>
      method === 'GET' &&
      sdk !== undefined &&
      access.object?.what === 'community' &&
      !acceptedBy(access).includes('api-key'),
  );
  assert.deepEqual(closed.map(({ route }) => route).sort(), Object.keys(notForKeys).sort());
});

/** Resources whose changes must be audited. */
const powerful = ['client-apps', 'communities', 'latchkey', 'miniapps', 'user-authorizations'];

/** Changes in those resources that are not audited, and why. */
const offRecord: Readonly<Record<string, string>> = {
  'POST /latchkey/communities/{communityId}/back-doors/check': 'Only reads Discord.',
  'POST /latchkey/communities/{communityId}/change-sets': 'Only computes what would change; approving it is audited.',
  'POST /latchkey/session': 'Audited as session.create, in the transaction that opens it.',
  'POST /latchkey/communities/{communityId}/rule-drafts/describe': 'Changes nothing.',
  'POST /latchkey/communities/{communityId}/rule-drafts/try': 'Changes nothing.',
  'POST /latchkey/communities/{communityId}/rule-drafts/preview': 'Changes nothing.',
  'POST /latchkey/communities/{communityId}/rule-set/plan': 'Changes nothing.',
  'POST /latchkey/communities/{communityId}/rule-drafts': 'Has no effect; saving it as a rule is audited.',
  'DELETE /latchkey/communities/{communityId}/rule-drafts/{draftId}': 'A draft has no effect.',
  'POST /latchkey/communities/{communityId}/rule-imports': 'Only reads; turning rules on is audited.',
  'POST /latchkey/account/linked-roles/attempts': 'Starts something that changes nothing until it is finished.',
  'POST /latchkey/account/reddit-consent/attempts': 'Starts something that changes nothing until it is finished.',
  'POST /latchkey/account/x/attempts': 'Starts something that changes nothing until it is finished.',
  'POST /latchkey/account/x': 'Audited as x-account.link, in the transaction that links it.',
  'DELETE /latchkey/account/x': 'Audited as x-account.unlink, in the transaction that unlinks it.',
  'DELETE /latchkey/account': 'Audited as account.erase, before the account is erased.',
  'POST /latchkey/telegram-join-requests/{slug}/open':
    'Issues a token of 15 minutes to the person whom Telegram names.',
  'POST /latchkey/devvit/sync': 'Reports and signed answers of an app; role changes are in the ledger.',
  'POST /latchkey/handoffs': 'Starts something that changes nothing until it is finished.',
  'POST /latchkey/handoffs/state': 'Only reads.',
  'POST /latchkey/handoffs/message': 'Creates a message that changes nothing until it is signed.',
  'POST /latchkey/handoffs/proof': 'Changes nothing until the browser that started accepts it.',
  'POST /latchkey/handoffs/accept': 'Audited as wallet.link in the transaction that links; a sign-in is a session.',
  'POST /latchkey/playgrounds': 'A throw-away community on the emulators.',
  'POST /latchkey/playgrounds/state': 'Only reads.',
  'POST /latchkey/playgrounds/actions': 'Changes a throw-away community on the emulators.',
  'POST /latchkey/miniapps/{miniAppId}/probe': 'Tests an app; a resulting revocation is in its own history.',
  'POST /latchkey/client-apps/{id}/deliveries/{deliveryId}/resend': 'In the delivery log.',
  'POST /latchkey/client-apps/{id}/deliveries/replay': 'In the delivery log.',
  'POST /latchkey/client-apps/{id}/events/replay': 'In the delivery log.',
  'POST /latchkey/client-apps/{id}/webhook/test': 'Tests a URL; nothing changes.',
  'POST /latchkey/plans/{planId}/checkout': 'Opens a page of the payment provider, which records payments.',
  'POST /latchkey/account/billing-portal': 'Opens a page of the payment provider.',
  'POST /latchkey/operator/admin-keys': 'Audited as admin-key.create, in the transaction that creates the key.',
  'DELETE /latchkey/operator/admin-keys/{id}': 'Audited as admin-key.revoke, in the transaction that revokes it.',
  'PUT /communities/{communityId}/wallet': 'Creates an address of the server once, and returns it again.',
};

test('every change of accounts, applications, communities and rules is audited, except those listed here', () => {
  const silent = (resources as readonly Resource[])
    .filter(({ name }) => powerful.includes(name))
    .flatMap(({ operations }) => operations)
    .filter(({ method, contract }) => method !== 'GET' && contract.audit === undefined)
    .map(({ route }) => route as string);
  assert.deepEqual(silent.sort(), Object.keys(offRecord).sort());
});

const oneEntry = 'Sets or removes one entry of a list, which no operation reads alone.';
const asksThePlatform = 'Asks the chat platform about the person, which must not happen inside a transaction.';
const partOfAnother =
  'Changes a part of what is read with the results of the last check, whose ETag changes by itself.';
const pages = 'Changes a list that is read page by page.';
const newSecret = 'Replaces or removes what no operation shows.';

/** Changes that refuse If-Match, because no operation reads their object at the same path or at `readAt`. */
const withoutTag: Readonly<Record<string, string>> = {
  'DELETE /account/wallets': pages,
  'PUT /wallet-manager/wallet-connections': pages,
  'DELETE /account/wallets/{address}': oneEntry,
  'DELETE /latchkey/account': newSecret,
  'DELETE /latchkey/account/authenticators/{requestId}': oneEntry,
  'DELETE /latchkey/account/sessions/{id}': oneEntry,
  'DELETE /latchkey/account/wallets/{id}/sign-in': oneEntry,
  'DELETE /latchkey/client-apps/{id}/api-key/old': newSecret,
  'DELETE /latchkey/communities/{communityId}/back-doors/{backDoorId}/expected': partOfAnother,
  'DELETE /latchkey/communities/{communityId}/change-sets/{changeSetId}/comments/{commentId}': oneEntry,
  'DELETE /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}': oneEntry,
  'DELETE /latchkey/communities/{communityId}/rule-drafts/{draftId}': oneEntry,
  'DELETE /latchkey/operator/admin-keys/{id}': oneEntry,
  'DELETE /latchkey/operator/applications/{clientId}/signing-domains/{domain}': oneEntry,
  'DELETE /latchkey/operator/waiting-list/guests/{userId}': oneEntry,
  'DELETE /latchkey/plans/{planId}/subscribers/{subscriberId}': oneEntry,
  'DELETE /snapshot/communities/{communityId}/space/{space}': oneEntry,
  'DELETE /stripe/subscription/{planId}/subscriber/{subscriberId}': oneEntry,
  'DELETE /wallet-manager/wallet-connections/{walletSk}': oneEntry,
  'PATCH /client-apps/{clientAppId}/reset-api-key': newSecret,
  'PATCH /miniapps/{miniAppId}/reset-secret': newSecret,
  'PUT /latchkey/account/wallets/{id}/sign-in': oneEntry,
  'PUT /latchkey/communities/{communityId}/admins/{userId}': asksThePlatform,
  'PUT /latchkey/communities/{communityId}/back-doors/{backDoorId}/expected': partOfAnother,
  'PUT /latchkey/communities/{communityId}/gate-settings': partOfAnother,
  'PUT /latchkey/communities/{communityId}/guest-passes/{passId}/holders/{userId}': oneEntry,
  'PUT /latchkey/operator/waiting-list/guests/{userId}': oneEntry,
  'PUT /latchkey/plans/{planId}/subscribers/{subscriberId}': oneEntry,
  'PUT /snapshot/communities/{communityId}/space/{space}': oneEntry,
};

test('every change is compared with the version that If-Match names, except those listed here', () => {
  const changing = served.filter(isChange);
  const without = changing.filter((operation) => readerOf(operation, served) === undefined);
  assert.deepEqual(without.map(({ route }) => route as string).sort(), Object.keys(withoutTag).sort());
  // Its record would have to be part of the same transaction.
  assert.deepEqual(
    changing.filter(({ contract }) => contract.repeatable === true).map(({ route }) => route),
    [],
  );
});

test('every deprecated operation has a successor, and published ones have no end', () => {
  const deprecated = served.filter(({ contract }) => contract.deprecated !== undefined);
  assert.ok(deprecated.length > 0);
  for (const { route, contract } of deprecated) {
    assert.ok(
      served.some((other) => other.route === contract.deprecated?.use && other.contract.deprecated === undefined),
      route,
    );
    if (contract.sdk !== undefined) assert.equal(contract.deprecated?.until, undefined, route);
  }
});

test('every change whose object is read at another path is in the manual', () => {
  const rows = served.flatMap(({ route, contract }) =>
    contract.readAt === undefined ? [] : [[code(route), code(contract.readAt)]],
  );
  assert.deepEqual(readTable('error-codes.md', 'Changing only what you have read'), rows);
});

/** Scopes that no operation requires. */
const withoutOperation: Readonly<Record<string, string>> = {
  $all: 'Not a scope that an operation requires, but all of them.',
  'user:verifiable-credential:read': 'Existing clients request it; no published operation requires it.',
  'user:verifiable-credential:write': 'Existing clients request it; no published operation requires it.',
  'verifiable-credential:write': 'Existing clients request it; no published operation requires it.',
};

test('every scope allows an operation that is served or published, except those listed here', () => {
  const requested = new Set<string>([
    ...served.flatMap(({ contract }) => contract.access.scopes),
    ...readInventory().operations.flatMap((entry) => entry.scopes),
  ]);
  const unused = Object.keys(scopes).filter((scope) => !requested.has(scope));
  assert.deepEqual(unused.sort(), Object.keys(withoutOperation).sort());
});

test('every scope and every legacy name matches the manual', () => {
  const rows = Object.entries(scopes).map(([id, { group, description }]) => [code(id), group, description]);
  assert.deepEqual(readTable('scopes.md', 'All scopes'), rows);
  const old = Object.entries(scopeAliases).map(([alias, scope]) => [code(alias), code(scope)]);
  assert.deepEqual(readTable('scopes.md', 'Old names'), old);
});

test('every error code is used', () => {
  const unused = Object.keys(errorCodes).filter((name) => {
    const thrown = new RegExp(`AppError\\(\\s*'${name}'|code: '${name}'`);
    return !sources.some(({ text }) => thrown.test(text));
  });
  assert.deepEqual(unused, []);
});

test('every error code matches the manual', () => {
  const rows = Object.entries(errorCodes).map(([id, info]) => [code(id), String(info.status), info.name, info.meaning]);
  assert.deepEqual(readTable('error-codes.md', 'All codes'), rows);
});

test('every kind of credential matches the manual', () => {
  const rows = Object.entries(credentialKinds).map(([kind, { standsFor, through, sentAs, reach, lives, endedBy }]) => [
    code(kind),
    standsFor,
    through,
    code(sentAs),
    reach,
    lives,
    endedBy,
  ]);
  assert.deepEqual(readTable('security.md', 'All credentials'), rows);
});

test('every kind of credential that operations accept matches the manual', () => {
  const rows = Object.entries(acceptedKinds).map(([kind, { meaning }]) => [code(kind), meaning]);
  assert.deepEqual(readTable('security.md', 'Which credentials an operation takes'), rows);
});

test('every live update matches the manual', () => {
  const rows = Object.entries(changes).map(([changed, what]) => [code(changed), what]);
  assert.deepEqual(readTable('console.md', 'Hearing of changes'), rows);
});

test('the pages that may call match the manual', () => {
  const rows = Object.entries(callingPages).map(([caller, { sends, from }]) => [
    code(caller),
    sends,
    ...Object.keys(originKinds).map((kind) => from[kind as keyof typeof from]),
  ]);
  assert.deepEqual(readTable('browsers.md', 'Who may call from where'), rows);
  const origins = Object.entries(originKinds).map(([kind, meaning]) => [code(kind), meaning]);
  assert.deepEqual(readTable('browsers.md', 'Origins'), origins);
});

test('every threat in the manual names tests that exist', () => {
  const root = new URL('../../../../', import.meta.url);
  const [, table = ''] = readFileSync(new URL('docs/security.md', root), 'utf8').split('## Threats');
  const named = [...table.matchAll(/`(packages\/[^`]+\.test\.ts)`/g)].map(([, path = '']) => path);
  assert.ok(named.length > 10);
  assert.deepEqual(
    named.filter((path) => !existsSync(new URL(path, root))),
    [],
  );
});

test('every event is in the manual, with the fields it is sent with', () => {
  const emitted = new Map(sources.flatMap(({ text }) => [...findEmissions(text), ...findAppended(text)]));
  const rows = Object.entries(events).map(([type, meaning]) => [
    code(type),
    meaning,
    emitted.get(type) ?? 'is never sent',
  ]);
  assert.deepEqual(readTable('events.md', 'All events'), rows);
});

/** Returns the events that a source emits, each with the fields of its payload, which may be a constant above. */
function findEmissions(text: string): [type: string, fields: string][] {
  const above = /const payload = \{([^}]*)\}/.exec(text)?.[1];
  return [...text.matchAll(/emit\(ctx, tx, ([^,]+), \{[^}]*?payload(?:: \{([^}]*)\})?/g)].flatMap(
    ([, type = '', inline]) => {
      const fields = (inline ?? above ?? '').split(',').flatMap((field) => /^\s*(\w+)/.exec(field)?.[1] ?? []);
      const named = /^'(.+)'$/.exec(type)?.[1];
      // A variable instead of a literal: one of several types, chosen where the variable is set.
      const chosen = new RegExp(`const ${type} = .*`).exec(text)?.[0] ?? '';
      const types =
        named === undefined ? Object.keys(events).filter((event) => chosen.includes(`'${event}'`)) : [named];
      return types.map((event): [string, string] => [event, fields.map(code).join(', ')]);
    },
  );
}

/** Returns the events that a source appends to the log of a community, each with the fields of its data. */
function findAppended(text: string): [type: string, fields: string][] {
  return [...text.matchAll(/appendEvents\(ctx, tx, ([^,]+), (?:\[\{ community, data: \{([^}]*)\})?/g)].flatMap(
    ({ 1: type = '', 2: inline, index }) => {
      const above = [...text.slice(0, index).matchAll(/\bdata(?::| =) \{([^}]*)\}/g)].at(-1)?.[1];
      const data = (inline ?? above ?? '').split(',').flatMap((field) => /^\s*(\w+)/.exec(field)?.[1] ?? []);
      const fields = ['communityId', ...(text.includes('memberId') ? ['userId'] : []), ...data].map(code).join(', ');
      const [, named] = /^'(.+)'$/.exec(type) ?? [];
      const [, family] = /^`(.+)\$\{\w+\}`$/.exec(type) ?? [];
      // A variable instead of a literal: one of several types, which the source names.
      const isMeant = (event: string) =>
        family === undefined ? text.includes(`'${event}'`) : event.startsWith(family);
      const types = named === undefined ? Object.keys(events).filter(isMeant) : [named];
      return types.map((event): [string, string] => [event, fields]);
    },
  );
}

test('every schema can be turned into code', () => {
  for (const operation of served) assert.doesNotThrow(() => compileEagerly(operation), operation.route);
});

test('every operation has a unique route, id and SDK name', () => {
  for (const nameOf of [
    ({ route }: (typeof served)[number]) => route.replace(/\{\w+\}/g, '{}'),
    ({ contract }: (typeof served)[number]) => contract.id,
    ({ contract }: (typeof served)[number]) => contract.sdk,
  ]) {
    const names = served.map(nameOf).filter((name) => name !== undefined);
    assert.deepEqual(
      names.filter((name, index) => names.indexOf(name) !== index),
      [],
    );
  }
});

test('every resource, operation and field has a description', () => {
  const wordless: string[] = [];
  const check = (what: string, text: string | undefined) => {
    if (!/^[^\s].*\.$/s.test(text ?? '')) wordless.push(`${what}: ${text}`);
  };
  const checkFields = (what: string, schema: JsonSchema | undefined) => {
    for (const field of fieldsOf(schema ?? {})) check(`${what} ${field.path}`, field.schema.description);
  };
  for (const { name, description } of resources as readonly Resource[]) check(name, description);
  for (const { route, contract, params, body, answer } of served) {
    check(route, contract.description);
    check(route, answer.description);
    assert.match(contract.summary, /^[A-Z][^.]*[^.]$/, `the summary of ${route} is a name, not a sentence`);
    for (const [name, schema] of Object.entries(params)) check(`${route} ${name}`, asJsonSchema(schema).description);
    checkFields(`${route} body`, body && asJsonSchema(body.schema));
    checkFields(`${route} answer`, answer.schema && asJsonSchema(answer.schema));
  }
  assert.deepEqual(wordless, []);
});

test('every input string and list has a limit', () => {
  const endless = served.flatMap((operation) =>
    inputsOf(operation).flatMap(({ path, schema }) => (isEndless(schema) ? [`${operation.route} ${path}`] : [])),
  );
  assert.deepEqual(endless, []);
});

test('the id of a community has one limit, in whichever operation it is sent', () => {
  const limits = served.flatMap((operation) =>
    inputsOf(operation)
      .filter(({ path, schema }) => /^(?:communityId|guildId)$/.test(path) && schema.pattern === undefined)
      .map(({ path, schema }) => ({ input: `${operation.route} ${path}`, maxLength: schema.maxLength })),
  );
  assert.ok(limits.length > 100);
  assert.deepEqual(
    limits.filter(({ maxLength }) => maxLength !== 128),
    [],
  );
});

function inputsOf({ params, body }: (typeof served)[number]): { path: string; schema: JsonSchema }[] {
  const fields = body === undefined ? [] : fieldsOf(asJsonSchema(body.schema));
  return [...Object.entries(params).map(([name, schema]) => ({ path: name, schema: asJsonSchema(schema) })), ...fields];
}

function isEndless(schema: JsonSchema): boolean {
  if (schema.enum !== undefined) return false;
  if (schema.type === 'string') return schema.maxLength === undefined;
  if (schema.type === 'array') return schema.maxItems === undefined || isEndless(schema.items ?? {});
  return false;
}
