import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from '@latchkey/db';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { foundMembers } from '../../communities/members/index.ts';
import { recordAudit, selectAuditEntries } from '../../services/audit/index.ts';
import { contextFor } from '../../shared/context.ts';
import { type TestPlatform, testPlatform } from '../../testing/index.ts';
import { removeOld, startDue } from './jobs.ts';
import { selectLedger } from './ledger/queries.ts';
import { tablesAcrossCommunities } from './testing/across-communities.ts';
import { playTransfer } from './testing/play-transfer.ts';
import { type RecordedStatement, recordStatements } from './testing/record-statements.ts';

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

/**
 * Statements that ask every community on purpose, by their first words. Distributed, each is sent to every node; none is run for a single
 * role change.
 */
const askedEverywhere: Readonly<Record<string, string>> = {
  'select a.chain, a.standard, json_agg(distinct a.reference)': 'a follower lists the contracts that it watches',
  'select c.id from (select id from communities where status': 'a follower finds rules that are not indexed yet',
  'select id, community_id from rule_set_changes': 'a follower finds rules that changed',
  'select "community_id", "reference" from "rule_assets"':
    'a block names a contract: which communities have a rule on it',
  'select "community_id", "user_id" from "community_members"':
    'a transfer names a person: which communities they are in',
  'select distinct "community_id" from "reconcile_queue"': 'the schedule finds communities with members to check',
  'select distinct i.community_id from change_set_items': 'the schedule finds communities with changes to write',
  'select "id", "check_period_seconds" from "communities"': 'the schedule finds communities that are due',
  'select "community_id" from "shadow_modes"': 'the schedule finds communities to take over',
  'select * from "communities" where ("id" = $1 or "community_id" = $2)': 'a path has only the id of the platform',
  'delete from "change_sets"': 'the clean-up removes what is old',
  'delete from "rule_set_changes"': 'the clean-up removes what is old',
  'delete from shadow_differences': 'the clean-up removes what is old',
};

function oneLine(statement: string): string {
  return statement.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
}

describe('the query plans of statements', () => {
  let t: TestPlatform;
  let statements: RecordedStatement[];
  before(async () => {
    t = await testPlatform('query_plans');
    const listening = recordStatements(t.services.db);
    const guild = await playTransfer(t);
    assert.deepEqual(guild.rolesOf(0), []);
    assert.deepEqual(guild.rolesOf(1), ['gold']);
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
    statements = listening.stop();
    assert.ok(statements.some(({ text }) => text.includes('role_ledger')));
  });
  after(() => t.close());

  it('read no large table as a whole, from a transfer to the role and the page that shows it', async () => {
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
        if (whole.length > 0) found[oneLine(text)] = whole;
      }
    } finally {
      await client.query('rollback');
      client.release();
    }
    assert.ok(explained > 30, `${explained}`);
    assert.deepEqual(found, {});
  });

  it('name the community in every table that has one, so that communities can live in different databases', async () => {
    const { rows } = await t.services.db.pool.query<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'community_id'`,
    );
    const keys = new Map([...rows.map(({ name }): [string, string] => [name, 'community_id']), ['communities', 'id']]);
    const across: string[] = [];
    for (const { text } of statements) {
      const tables = await tablesAcrossCommunities(text, keys);
      if (tables.length > 0) across.push(`${oneLine(text)} (${[...new Set(tables)].join(', ')})`);
    }
    const isOnPurpose = (text: string) => Object.keys(askedEverywhere).some((start) => text.startsWith(start));
    assert.deepEqual(
      across.filter((text) => !isOnPurpose(text)),
      [],
    );
    const unused = Object.keys(askedEverywhere).filter((start) => !across.some((text) => text.startsWith(start)));
    assert.deepEqual(unused, []);
  });

  it('notice a statement that reads another table of communities by its id alone', async () => {
    const keys = new Map([
      ['change_sets', 'community_id'],
      ['change_set_items', 'community_id'],
      ['communities', 'id'],
    ]);
    const across = (statement: string) => tablesAcrossCommunities(statement, keys);
    const named = [
      'select from change_set_items i join change_sets p using (id) where i.community_id = $1 and p.community_id = i.community_id',
      'update change_sets set note = $1 where id = $2 and community_id = any($3)',
      'delete from change_sets p using communities c where c.id = p.community_id and c.id in ($1, $2)',
      'with change_sets as (select 1 as id) select from change_sets where id = 1',
      'select from communities c where exists (select from change_sets p where p.community_id = c.id) and c.id = $1',
      'insert into change_sets (id, community_id) values ($1, $2) on conflict (community_id, id) do nothing',
    ];
    for (const statement of named) assert.deepEqual(await across(statement), [], statement);
    const wrong: [string, string[]][] = [
      ['select from change_sets where id = $1', ['change_sets']],
      ['select from change_sets where community_id = $1 or id = $2', ['change_sets']],
      [
        'update change_set_items i set state = $1 from change_sets p where p.id = i.change_set_id and i.community_id = $2',
        ['change_sets'],
      ],
      [
        'select from change_sets p join change_set_items i on p.community_id = i.community_id',
        ['change_sets', 'change_set_items'],
      ],
      [
        'select from communities c where c.id = $1 and exists (select from change_sets p where p.id = $2)',
        ['change_sets'],
      ],
      ['with old as (delete from change_sets where id = $1 returning id) select from old', ['change_sets']],
      ['insert into change_sets (id, community_id) values ($1, $2) on conflict (id) do nothing', ['change_sets']],
    ];
    for (const [statement, tables] of wrong) assert.deepEqual(await across(statement), tables, statement);
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
