import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { callsOfScreens } from '@latchkey/console/testing/screen-calls';
import { noteMember } from '@latchkey/core';
import { sql } from '@latchkey/db';
import { type ErrorCode, errorCodes, type Operation } from '@latchkey/kernel';
import { consoleSession } from '../harness/console-session.ts';
import { codeOf, errorShapeProblems } from '../harness/error-shape.ts';
import { aliceId } from '../harness/identities.ts';
import { people } from '../harness/outside-world.ts';
import { fingerprintTables } from '../harness/read-tables.ts';
import type { Headers } from '../harness/refused-credentials.ts';
import { type Draft, sampleRequest } from '../harness/sample-request.ts';
import { isOpen, isOperatorOnly, needsNoCredential, served } from '../harness/served.ts';
import type { World } from '../harness/set-up-world.ts';
import type { TestServer } from '../harness/test-server.ts';
import { visit } from '../harness/visit-server.ts';

const byRoute = new Map(served.map((operation) => [operation.route as string, operation]));

/** A caller that a screen must not serve, and the error an operation returns to them; none if they may call it. */
interface Outsider {
  headers: Headers;
  codesFor(operation: Operation): readonly ErrorCode[];
}

/** Operations behind the console's screens refuse callers who may not see them, screen by screen. */
export function screensSuite(world: () => World): void {
  let outsiders: Readonly<Record<string, Outsider>>;
  let atFirst: Record<string, string>;
  const found = new Map<string, Promise<string[]>>();

  before(async () => {
    const { server, community, mallory } = world();
    const member = `DIS#USER#${people.bob.userId}`;
    await noteMember(server.services, 'discord', community.guildId, people.bob.userId, {
      kind: 'joined',
      userName: people.bob.name,
      roleIds: [],
    });
    const { id } = await server.apiKey([]);
    const expired = await consoleSession(server, { authorization: await server.aeToken(aliceId) });
    await sql`update console_sessions set expires_at = now() - interval '1 hour' where user_id = ${aliceId}`.execute(
      server.services.db.system,
    );
    outsiders = {
      'a visitor who is not signed in': { headers: {}, codesFor: unlessOpen('AUTHENTICATION_REQUIRED') },
      'an expired session': { headers: expired, codesFor: () => ['INVALID_CREDENTIAL'] },
      'a token of an application': {
        headers: { authorization: await server.bearer(aliceId, ['openid'], id) },
        codesFor: refusedToTokens,
      },
      'a member': {
        headers: await consoleSession(server, { authorization: await server.aeToken(member) }),
        codesFor: refusedToOthers,
      },
      'an admin of another community': {
        headers: await consoleSession(server, { authorization: mallory }),
        codesFor: refusedToOthers,
      },
    };
    atFirst = await rowsOf(server);
  });

  async function problemsOf(operation: Operation): Promise<string[]> {
    const draft = sampleRequest(operation, world().samples);
    const problems = await Promise.all(
      Object.entries(outsiders).map(async ([who, { headers, codesFor }]) => {
        const codes = codesFor(operation);
        const found = codes.length === 0 ? [] : await refusalProblems(draft, headers, codes);
        return found.map((problem) => `${operation.route} to ${who}: ${problem}`);
      }),
    );
    return problems.flat();
  }

  async function refusalProblems(draft: Draft, headers: Headers, codes: readonly ErrorCode[]): Promise<string[]> {
    const answer = await visit(world().server, draft, { ...headers, 'idempotency-key': 'screens' });
    const code = codeOf(answer.text);
    const isRefused = codes.some((one) => one === code && errorCodes[one].status === answer.status);
    const shape = errorShapeProblems(answer.status, answer.headers.get('content-type') ?? '', answer.text);
    return isRefused ? shape : [`answered with ${answer.status} ${code}, not ${codes.join(' or ')}`];
  }

  for (const [screen, calls] of callsOfScreens) {
    const name = screen === '' ? 'what stands around every screen' : `the screen ${screen}`;
    test(`${name} shows nothing to callers who may not see it`, async (t) => {
      const operations = [...calls].map((route) => byRoute.get(route) ?? assert.fail(`${route} is not served`));
      assert.ok(operations.length > 0, 'it calls nothing: is its code still found?');
      const closed = operations.filter((operation) => !isOpen(operation));
      const problems = await Promise.all(
        closed.map((operation) => {
          const known = found.get(operation.route) ?? problemsOf(operation);
          found.set(operation.route, known);
          return known;
        }),
      );
      assert.deepEqual(problems.flat(), []);
      t.diagnostic(`${closed.length} operations, ${operations.length - closed.length} open to everyone`);
    });
  }

  test('nothing changed while the screens were refused', async () => {
    assert.ok(found.size > 100);
    assert.deepEqual(await rowsOf(world().server), atFirst);
  });
}

function unlessOpen(...codes: ErrorCode[]): Outsider['codesFor'] {
  return (operation) => (needsNoCredential(operation) ? [] : codes);
}

/** A token with only openid may call what needs no credential, and public reads. */
function refusedToTokens(operation: Operation): readonly ErrorCode[] {
  const { limited } = operation.contract.access;
  if (needsNoCredential(operation) || (limited !== undefined && 'harmless' in limited)) return [];
  return ['SCOPE_NOT_ALLOWED', 'ROLE_NOT_ALLOWED'];
}

/** Users reach their own data through operations without an id; that these return nothing else is tested above. */
function refusedToOthers(operation: Operation): readonly ErrorCode[] {
  if (isOperatorOnly(operation)) return ['ROLE_NOT_ALLOWED'];
  return operation.contract.access.object === undefined ? [] : ['ENTITY_NOT_FOUND'];
}

/** All tables except request counters, and the heartbeats of processes and browsers. */
async function rowsOf(server: TestServer): Promise<Record<string, string>> {
  const {
    rate_windows: _counters,
    processes: _life,
    console_sessions: _use,
    ...rest
  } = await fingerprintTables(server);
  return rest;
}
