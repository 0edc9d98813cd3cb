import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Database, sql } from '@latchkey/db';
import type pg from 'pg';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { foundMembers } from '../../communities/members/index.ts';
import { recordAudit, selectAuditEntries } from '../../services/audit/index.ts';
import { contextFor } from '../../shared/context.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { followStep } from '../followers/follow.ts';
import { WatchList } from '../followers/watched-assets.ts';
import { removeOld, startDue } from './jobs.ts';
import { selectLedger } from './ledger/queries.ts';
import { chain, type Guild, setUpGuild, token } from './testing/index.ts';
import { memoryChain } from './testing/memory-chain.ts';

/** Tables with at least one row per member. */
const bigTables = [
  'community_members',
  'wallet_connections',
  'wallet_communities',
  'role_ledger',
  'change_sets',
  'change_set_items',
  'reconcile_queue',
  'read_holdings',
  'audit_entries',
];

interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  'Index Name'?: string;
  Plans?: Node[];
}

/** Records the statements that a pool runs, until stopped. */
function recordStatements({ pool }: Pick<Database, 'pool'>) {
  const statements = new Map<string, { text: string; values: unknown[] }>();
  const wrapped = new WeakSet<pg.PoolClient>();
  let isOn = true;
  pool.on('acquire', (client: pg.PoolClient) => {
    if (wrapped.has(client)) return;
    wrapped.add(client);
    const query = client.query.bind(client);
    client.query = new Proxy(query, {
      apply: (target, self, given: unknown[]) => {
        const [request, more] = given;
        const { text, values = more ?? [] } = typeof request === 'string' ? { text: request } : Object(request);
        if (isOn && typeof text === 'string' && Array.isArray(values)) statements.set(text, { text, values });
        return Reflect.apply(target, self, given);
      },
    });
  });
  return {
    stop: () => {
      isOn = false;
      return [...statements.values()].filter(({ text }) => /^\s*(with|select|insert|update|delete)\b/i.test(text));
    },
  };
}

/** The nodes of a query plan that read a whole big table, even if it is small now. */
function wholeReads(node: Node): string[] {
  const table = node['Relation Name'] ?? '';
  const isWhole =
    node['Node Type'] === 'Seq Scan' ||
    (/^Index (Only )?Scan$/.test(node['Node Type']) && node['Index Cond'] === undefined);
  const own = bigTables.includes(table) && isWhole ? [`${table} ${node['Index Name'] ?? 'without an index'}`] : [];
  return [...own, ...(node.Plans ?? []).flatMap(wholeReads)];
}

/** Reads that follow an index up to a limit, or read only the few rows of a partial index. */
const boundedReads = new Set([
  'reconcile_queue reconcile_queue_due',
  'change_set_items change_set_items_next',
  'change_set_items change_set_items_due',
  'change_set_items change_set_items_pending',
  'change_set_items change_set_items_open',
  'change_set_items change_set_items_sent',
  'change_sets change_sets_open',
]);

describe('the query plans of statements', () => {
  let t: TestPlatform;
  let guild: Guild;
  before(async () => {
    t = await testPlatform('query_plans');
  });
  after(() => t.close());

  it('read no large table as a whole, from a transfer to the role and the page that shows it', async () => {
    const listening = recordStatements(t.services.db);
    const node = memoryChain(chain);
    t.services.holdings = node.holdings;
    t.services.follower = node.follower;
    t.services.settings.gating = { followDepth: 1, followPauseMs: 5 };
    guild = await setUpGuild(t, { members: 12 });
    const change = (member: number, amount: string) => ({ contract: token, account: guild.walletOf(member), amount });
    const follow = async () => {
      await new WatchList(t.services).refresh();
      while ((await followStep(t.services, chain, [token])) === 'moved');
    };
    node.mine(Array.from({ length: 12 }, (_, member) => change(member, '1')));
    node.mine();
    await follow();
    await guild.resync();
    node.mine([change(0, '0'), change(1, '2')]);
    node.mine();
    await follow();
    await guild.check();
    await guild.write();
    assert.deepEqual(guild.rolesOf(0), []);
    const ctx = contextFor(t.services, { kind: 'system', job: 'test' });
    for (const job of [startDue, removeOld])
      await job.run(ctx, {}, { id: '1', attempt: 1, signal: new AbortController().signal });
    const community = await selectCommunity(t.services.db.system, guild.id);
    assert.ok(community);
    for (const order of ['name', 'activity'] as const) {
      const list = await foundMembers(ctx, community, { order }, undefined);
      const [member] = await list.read(undefined, 2);
      assert.ok(member);
      await list.read(list.cursorOf(member), 2);
    }
    await selectLedger(t.services.db.system, guild.id, {}, undefined, 50);
    await selectLedger(t.services.db.system, guild.id, { userId: guild.idOf(0) }, undefined, 50);
    const statements = listening.stop();
    assert.ok(statements.some(({ text }) => text.includes('role_ledger')));

    const found: Record<string, string[]> = {};
    let explained = 0;
    const client = await t.services.db.pool.connect();
    try {
      await client.query('begin');
      // With sequential scans off, the planner uses an index wherever there is one, although the tables are small.
      await client.query('set local enable_seqscan = off');
      for (const { text, values } of statements) {
        const { rows } = await client.query(`explain (format json) ${text}`, values);
        const whole = wholeReads(rows[0]['QUERY PLAN'][0].Plan).filter((read) => !boundedReads.has(read));
        explained += 1;
        if (whole.length > 0) found[text.replaceAll(/\s+/g, ' ').trim().slice(0, 200)] = whole;
      }
    } finally {
      await client.query('rollback');
      client.release();
    }
    assert.ok(explained > 30, `${explained}`);
    assert.deepEqual(found, {});
  });

  it('find whatever the audit log says about an erased person by indexes', async () => {
    const { db } = t.services;
    const entry = { at: t.services.clock(), who: 'DIS#USER#8', through: 'api', action: 'token.issue' } as const;
    const [person, wallet] = ['DIS#USER#7', '0x00000000000000000000000000000000000000Aa'];
    await recordAudit(db.system, { ...entry, reason: `${person} asked, DIS#USER#70 did not` });
    await recordAudit(db.system, { ...entry, details: { wallets: [wallet], note: 'said "no"' } });
    await recordAudit(db.system, { ...entry, target: wallet });
    await db.transaction('system', async (tx) => {
      await sql`set local enable_seqscan = off`.execute(tx);
      const wholeReadsOf = async () => {
        const { rows } = await sql<{ n: number }>`
          select seq_scan::int as n from pg_stat_xact_user_tables where relname = 'audit_entries'`.execute(tx);
        return rows[0]?.n;
      };
      const before = await wholeReadsOf();
      await sql`select forget_in_audit(${person}, ${[wallet]}::text[], 'erased-1')`.execute(tx);
      assert.equal(await wholeReadsOf(), before);
    });
    const left = await selectAuditEntries(db.system, { userId: 'DIS#USER#8', limit: 9 });
    assert.deepEqual(
      left.map(({ reason, details, target }) => [reason, details, target]),
      [
        [null, {}, 'erased-1'],
        [null, { wallets: ['erased-1'], note: 'said "no"' }, null],
        ['erased-1 asked, DIS#USER#70 did not', {}, null],
      ],
    );
  });

  /** Tables that are small, or refer to rows that are hardly ever deleted. */
  const unindexed = [
    'community_apps (app_id)',
    'community_plans (plan_id)',
    'organizations (plan_id)',
    'payment_checkouts (plan_id)',
    'payment_subscriptions (plan_id)',
    'wallet_link_challenges (community_id)',
  ];

  it('find rows that refer to a deleted one by an index', async () => {
    const { rows } = await t.services.db.pool.query<{ reference: string }>(`
      select c.conrelid::regclass || ' (' || string_agg(a.attname, ', ' order by k.place) || ')' as reference
      from pg_constraint c
        cross join unnest(c.conkey) with ordinality as k (attnum, place)
        join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.attnum
      where c.contype = 'f' and c.connamespace = 'public'::regnamespace and not exists (
        select from pg_index i
        where i.indrelid = c.conrelid
          and (select array_agg(x) from unnest((i.indkey::int2[])[0:cardinality(c.conkey) - 1]) as x) @> c.conkey
      )
      group by c.oid order by 1`);
    assert.deepEqual(
      rows.map((row) => row.reference),
      unindexed,
    );
  });
});
