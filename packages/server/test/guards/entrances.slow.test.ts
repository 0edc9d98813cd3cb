import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { startTelegramEmulator, type TelegramEmulator } from '@latchkey/emulators/telegram';
import { volume } from '@latchkey/test-kit';
import { sampleIndex } from '../../src/docs-search/sample-index.ts';
import { type Entrance, entrancesOf, openEntrances } from '../harness/entrances.ts';
import { endlessParts, overstepsOf } from '../harness/overstep.ts';
import { isMounted, served } from '../harness/served.ts';
import { openWorld, type World } from '../harness/set-up-world.ts';
import { behindProxy } from '../harness/visit-server.ts';
import { costSuite } from './cost.suite.ts';

const mounted = new Set(served.filter(isMounted).map(({ route }) => route as string));

/** A normal run tests a third of the limits of each operation, in turns; a deep one all. */
function someOf<Item>(items: readonly Item[], turn: number): Item[] {
  const every = volume(0, 1) === 0 ? 3 : 1;
  return items.filter((_, place) => items.length < every || (place + turn) % every === 0);
}

describe('every entry point', () => {
  let world: World;
  let telegram: TelegramEmulator;
  let portal: Server;
  let entrances: Entrance[];
  before(async () => {
    telegram = await startTelegramEmulator();
    portal = createServer((_request, response) => response.end(JSON.stringify(sampleIndex))).listen(0, '127.0.0.1');
    await once(portal, 'listening');
    const { environment, discordKey } = openEntrances();
    world = await openWorld({
      ...behindProxy,
      ...environment,
      LATCHKEY_PORTAL_URL: `http://127.0.0.1:${(portal.address() as AddressInfo).port}`,
      LATCHKEY_TELEGRAM_BOT_TOKEN: telegram.bot.token,
      LATCHKEY_TELEGRAM_API_URL: telegram.url,
      LATCHKEY_ANONYMOUS_RATE: '1000000/1',
      LATCHKEY_USER_RATE: '1000000/1',
    });
    entrances = await entrancesOf(world, { discordKey, telegramToken: telegram.bot.token });
  });
  after(async () => {
    await world.server.close();
    await telegram.stop();
    portal.close();
  });

  const of = (...kinds: Entrance['kind'][]) => entrances.filter(({ kind }) => kinds.includes(kind));

  test('is listed: operations, streams, webhooks, MCP tools, bot commands, buttons and forms, updates', () => {
    const count = (kind: Entrance['kind']) => of(kind).length;
    assert.equal(count('operation'), served.length);
    assert.deepEqual(
      served
        .filter(({ answer }) => answer.kind === 'events')
        .map(({ contract }) => contract.id)
        .sort(),
      ['streamCommunityEvents', 'watchAccount', 'watchCommunity', 'watchServer'],
    );
    for (const tool of [
      'search_docs',
      'read_docs',
      'find_operations',
      'call_operation',
      'explain_rule',
      'check_wallet',
    ])
      assert.ok(
        of('MCP tool').some(({ name }) => name === tool),
        tool,
      );
    assert.deepEqual([count('Discord interaction'), count('Telegram update')], [1, 1]);
    assert.ok(count('Discord command') > 10 && count('Discord button') > 5 && count('Discord form') > 3);
  });

  test('bounds every string and list of its input', () => {
    const endless = entrances.flatMap(({ kind, name, schema }) =>
      endlessParts(schema).map((path) => `${kind} ${name} ${path}`),
    );
    assert.deepEqual(endless, []);
  });

  for (const kind of [
    'operation',
    'MCP tool',
    'Discord interaction',
    'Discord command',
    'Discord button',
    'Discord form',
    'Telegram update',
  ] as const) {
    test(`refuses input one above its declared maximum, with the API’s error shape: ${kind}`, async (t) => {
      const problems: string[] = [];
      let sent = 0;
      for (const [turn, entrance] of of(kind).entries()) {
        if (mounted.has(entrance.name)) continue;
        const oversteps = overstepsOf(entrance.schema, entrance.base());
        const tried = kind === 'operation' ? someOf(oversteps, turn) : oversteps;
        for (const { path, limit, value } of tried) {
          sent += 1;
          const answer = await entrance.send(value as Record<string, unknown>);
          for (const problem of entrance.refusalProblems(answer))
            problems.push(`${entrance.name} ${path} over its ${limit}: ${problem} ${answer.text.slice(0, 120)}`);
        }
      }
      t.diagnostic(`${sent} requests`);
      assert.ok(sent > 0);
      assert.deepEqual(problems, []);
    });
  }

  test('refuses fields that it does not know, unless a platform or the published API may add them', async () => {
    const problems: string[] = [];
    for (const entrance of entrances.filter(({ kind }) => kind !== 'operation')) {
      const answer = await entrance.send({ ...entrance.base(), unheardOf: 'x' });
      const refusal = entrance.refusalProblems(answer);
      const isRight = entrance.unknownFields === 'refuse' ? refusal.length === 0 : answer.status === 200;
      if (!isRight)
        problems.push(`${entrance.kind} ${entrance.name}: ${refusal.join(', ')} ${answer.text.slice(0, 120)}`);
    }
    assert.deepEqual(problems, []);
  });

  costSuite(() => entrances);
});
