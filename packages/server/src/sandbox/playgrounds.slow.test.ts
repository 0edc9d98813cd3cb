import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, beforeEach, describe, it } from 'node:test';
import { type Context, contextFor, forgetPlaygrounds, schedules } from '@latchkey/core';
import { sql } from '@latchkey/db';
import type { DiscordEmulator } from '@latchkey/emulators/discord';
import type { DevChain } from '@latchkey/emulators/evm-chain';
import { createPlaygroundWorld } from '@latchkey/emulators/sample-world';
import type { JobKind } from '@latchkey/kernel';
import { until } from '@latchkey/test-kit';
import { startPlaygroundServer } from '../../test/harness/playground-server.ts';
import type { TestAnswer, TestServer } from '../../test/harness/test-server.ts';
import { playgroundFile, type RecordedStep, type Recording, readPlaygroundStories } from '../playground-stories.ts';

interface Shown {
  expiresTime: string;
  isWorking: boolean;
  members: Recording['start']['members'];
  rule: { choice: string; name: string };
  changeSets: { status: string; revokes: number; isUndo: boolean; canUndo: boolean }[];
  events: { type: string; member?: string; role?: string; reasons?: string[] }[];
}

interface Step {
  action: string[];
  say: string;
  rule?: string;
  holders: string[];
  isHeld?: boolean;
}

const firstHolders = ['ada', 'ben', 'cleo', 'dan'];
const link: Step = { action: ['link-wallet'], say: 'You link a wallet.', holders: ['you', ...firstHolders] };
const sell: Step = { action: ['sell-token'], say: 'You sell the token.', holders: firstHolders };
const buy: Step = { action: ['buy-token'], say: 'You buy it back.', holders: ['you', ...firstHolders] };
const stricter: Step = {
  action: ['edit-rule'],
  say: 'You edit the rule: at least 3 KEY.',
  rule: 'three-keys',
  holders: firstHolders,
  isHeld: true,
};
const change = (what: string, rule: string, holders: string[]): Step => ({
  action: ['edit-rule', 'approve'],
  say: `You edit the rule: ${what}, and approve what waits.`,
  rule,
  holders,
});

/** The sequences that the guides show where nothing can be tried out. */
const stories: Record<string, Step[]> = {
  introduction: [link, sell, stricter],
  roles: [link, sell, buy],
  undo: [
    stricter,
    { action: ['approve'], say: 'You approve the change set.', holders: ['ada'] },
    { action: ['undo'], say: 'You undo it, which restores the rule too.', holders: firstHolders },
  ],
  kinds: [
    change('at least 100 COIN', 'coins', ['ada', 'dan', 'eve']),
    change('badge 1', 'badge', ['cleo', 'eve']),
    {
      action: ['edit-rule'],
      say: 'You edit the rule: a KEY, and 100 COIN or badge 1. One removal needs no approval.',
      rule: 'key-and-more',
      holders: ['ada', 'cleo', 'dan'],
    },
  ],
};

const isRecording = process.env.LATCHKEY_RECORD_EXAMPLES !== undefined;
const advice = 'To record it again: LATCHKEY_RECORD_EXAMPLES=1 npm test -- sandbox/playgrounds';

function toStart({ members, rule: { choice, name } }: Shown): Recording['start'] {
  const seen = members.map(({ name, isLinked, keys, coins, badges, roles }) => ({
    name,
    isLinked,
    keys,
    coins,
    badges,
    roles,
  }));
  return { members: seen, rule: { choice, name }, changeSets: [] };
}

function toStep({ members, changeSets }: Shown): Omit<RecordedStep, 'action'> {
  return {
    members: members.map(({ name, roles }) => ({ name, roles })),
    waiting: changeSets.find(({ status }) => status === 'held')?.revokes ?? 0,
  };
}

function keepRecording(recording: Recording): void {
  writeFileSync(playgroundFile, `${JSON.stringify(recording, null, 2)}\n`);
}

describe('a playground', () => {
  let discord: DiscordEmulator;
  let chain: DevChain;
  let server: TestServer;
  let close: () => Promise<void>;

  before(async () => {
    ({ server, discord, chain, close } = await startPlaygroundServer());
  });
  after(() => close());

  const post = (path: string, json?: unknown): Promise<TestAnswer> =>
    server.request('POST', `/latchkey/playgrounds${path}`, json === undefined ? {} : { json });
  const act = (key: string, action: string, rule?: string) => post('/actions', { key, action, ...(rule && { rule }) });
  const read = async (key: string): Promise<Shown> => (await post('/state', { key })).json;
  const open = async (): Promise<string> => {
    const { status, json } = await post('');
    assert.equal(status, 200, JSON.stringify(json));
    return json.key;
  };
  const end = async (key: string) => assert.equal((await act(key, 'end')).status, 200);
  /** Waits until these members have the role on Discord. */
  const untilHolders = (key: string, names: string[], role = 'Holder') =>
    until(`${names.join()} have ${role}`, async () => {
      const { members } = await read(key);
      const holders = members.filter(({ roles }) => roles.includes(role)).map(({ name }) => name);
      return JSON.stringify(holders) === JSON.stringify(names);
    });
  const untilHeld = (key: string) =>
    until('a change set is held', async () => (await read(key)).changeSets.some(({ status }) => status === 'held'));
  /** A later check may replace the change set just after it was held. Nothing is approved then, and its reader tries again. */
  const approve = (key: string, say: string) =>
    until(`${say}: it is approved`, async () => {
      await untilHeld(key);
      const { status, json } = await act(key, 'approve');
      if (status !== 200) assert.equal(json.error?.code, 'STATE_CONFLICT', `${say}: ${JSON.stringify(json)}`);
      return status === 200;
    });
  const system = () => contextFor(server.services, { kind: 'system', job: 'test' });

  // A community that is being checked may be in use for a moment.
  beforeEach(() =>
    until('the copies of the test before are removed', () =>
      forgetPlaygrounds(system()).then(
        () => true,
        () => false,
      ),
    ),
  );

  it('grants and removes roles as its reader links a wallet, sells the token and buys it back', async () => {
    const key = await open();
    await untilHolders(key, ['ada', 'ben', 'cleo', 'dan']);
    await untilHolders(key, ['ada'], 'Collector');
    assert.equal((await act(key, 'link-wallet')).status, 200);
    await untilHolders(key, ['you', 'ada', 'ben', 'cleo', 'dan']);
    const sold = await act(key, 'sell-token');
    assert.equal(sold.json.members[0].keys, 0, 'the chain has the transfer at once');
    await untilHolders(key, ['ada', 'ben', 'cleo', 'dan']);
    // Discord has the change before the ledger does.
    const isLost = ({ type, member, role }: Shown['events'][number]) =>
      type === 'member.role-revoked' && member === 'you' && role === 'Holder';
    await until('it is in the events', async () => (await read(key)).events.some(isLost));
    const lost = (await read(key)).events.find(isLost);
    assert.ok((lost?.reasons ?? []).length > 0, JSON.stringify(lost));
    assert.equal((await act(key, 'buy-token')).status, 200);
    await untilHolders(key, ['you', 'ada', 'ben', 'cleo', 'dan']);
    await end(key);
  });

  for (const [name, steps] of Object.entries(stories))
    it(`goes as the guides show it: ${name}`, async () => {
      const key = await open();
      await untilHolders(key, firstHolders);
      await untilHolders(key, ['ada'], 'Collector');
      const start = toStart(await read(key));
      const seen: RecordedStep[] = [
        { action: 'The rule for Holder asks for at least 1 KEY.', ...toStep(await read(key)) },
      ];
      for (const { action, say, rule, holders, isHeld = false } of steps) {
        for (const one of action) {
          if (one === 'approve') await approve(key, `${name}: ${say}`);
          else assert.equal((await act(key, one, rule)).status, 200, `${name}: ${say}`);
          if (one === 'edit-rule' && isHeld) await untilHeld(key);
        }
        await untilHolders(key, holders);
        seen.push({ action: say, ...toStep(await read(key)) });
      }
      await end(key);
      const kept = readPlaygroundStories();
      if (isRecording) keepRecording({ start, stories: { ...kept.stories, [name]: seen } });
      else assert.deepEqual({ start, steps: seen }, { start: kept.start, steps: kept.stories[name] }, advice);
    });

  it('restores the rule when its reader rejects the change set', async () => {
    const key = await open();
    await untilHolders(key, ['ada', 'ben', 'cleo', 'dan']);
    await act(key, 'edit-rule', 'three-keys');
    await untilHeld(key);
    assert.equal((await act(key, 'reject')).status, 200);
    assert.equal((await read(key)).rule.choice, 'one-key');
    await untilHolders(key, ['ada', 'ben', 'cleo', 'dan']);
    await end(key);
  });

  it('says what cannot be done now, and changes nothing', async () => {
    const key = await open();
    for (const action of ['approve', 'reject', 'undo', 'buy-token']) {
      const { status, json } = await act(key, action);
      assert.deepEqual([action, status, json.error.code], [action, 409, 'STATE_CONFLICT'], JSON.stringify(json));
    }
    await act(key, 'sell-token');
    assert.equal((await act(key, 'sell-token')).json.error.message, 'Your wallet holds no KEY to sell.');
    await end(key);
  });

  it('belongs to the key: a change in one copy reaches no other, and no other key opens it', async () => {
    const [mine, other] = [await open(), await open()];
    await untilHolders(other, ['ada', 'ben', 'cleo', 'dan']);
    await act(mine, 'edit-rule', 'coins');
    await act(mine, 'sell-token');
    const seen = await read(other);
    assert.deepEqual([seen.rule.choice, seen.members[0]?.keys], ['one-key', 1]);
    for (const key of ['x', mine.slice(1), `${mine}x`]) {
      assert.equal((await post('/state', { key })).json.error.code, 'ENTITY_NOT_FOUND');
      assert.equal((await act(key, 'sell-token')).status, 404);
    }
    await end(mine);
    assert.equal((await post('/state', { key: mine })).status, 404);
    assert.equal((await post('/state', { key: other })).status, 200);
    await end(other);
  });

  it('is refused to an address that has five, and again available when one of them ends', async () => {
    const all = await Promise.all(Array.from({ length: 7 }, () => post('')));
    const keys = all.flatMap(({ status, json }) => (status === 200 ? [json.key as string] : []));
    assert.equal(keys.length, 5, 'also when they are opened at once');
    const refused = all.find(({ status }) => status !== 200);
    assert.deepEqual([refused?.status, refused?.json.error.code], [429, 'RATE_LIMITED']);
    await end(keys[0] ?? '');
    keys[0] = await open();
    for (const key of keys) await end(key);
  });

  it('ends with its time, and leaves nothing: no community, no wallet, no guild', async () => {
    const before = discord.guilds().length;
    const key = await open();
    await act(key, 'link-wallet');
    await sql`update playgrounds set expires_at = now() - interval '1 second'`.execute(server.services.db.system);
    const { status, json } = await act(key, 'sell-token');
    assert.deepEqual(
      [status, json.error.message],
      [404, 'This sample community has ended. Start again with a new one.'],
    );
    const sweep = schedules.find(({ name }) => name === 'playgrounds.remove-ended')?.job as JobKind<unknown, Context>;
    await sweep.run(system(), {}, { id: 'test', attempt: 1, signal: new AbortController().signal });
    assert.equal(discord.guilds().length, before);
    await assertEmpty(server);
  });

  it('is gone after a restart of the server, with everything that it left in the database', async () => {
    const key = await open();
    // As after a restart: the rows are there, the emulators are new.
    const restarted = { ...server.services, playgroundWorld: createPlaygroundWorld(discord, chain) };
    await forgetPlaygrounds(contextFor(restarted, { kind: 'system', job: 'start' }));
    assert.equal((await post('/state', { key })).status, 404);
    await assertEmpty(server);
  });

  it('is not available without the sample world, and the refusal says why', async () => {
    const { playgroundWorld } = server.services;
    server.services.playgroundWorld = undefined;
    try {
      const { status, json } = await post('');
      assert.deepEqual([status, json.error.code], [503, 'NOT_CONFIGURED']);
      assert.match(json.error.message, /sample world/);
    } finally {
      server.services.playgroundWorld = playgroundWorld;
    }
  });
});

async function assertEmpty({ services }: TestServer): Promise<void> {
  const tables = [
    'playgrounds',
    'communities',
    'community_rules',
    'wallet_connections',
    'community_members',
    'change_sets',
  ];
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from ${sql.table(table)}`.execute(
      services.db.system,
    );
    assert.equal(rows[0]?.count, 0, table);
  }
}
