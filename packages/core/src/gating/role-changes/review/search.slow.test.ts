import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { volume } from '@latchkey/test-kit';
import { mallory, type TestPlatform, testPlatform } from '../../../testing/index.ts';
import { admin, type Guild, setUpGuild } from '../testing/index.ts';
import { recordStatements } from '../testing/record-statements.ts';
import { handleGet } from './operations.ts';

const members = volume(5_000, 100_000);

/** What a plan read from one table, in all its nodes. */
interface Node {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Node[];
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

describe(`searching a change set of ${members} members`, () => {
  let t: TestPlatform;
  let guild: Guild;
  before(async () => {
    t = await testPlatform('change-set-search');
    guild = await setUpGuild(t, { members: 0 });
    t.host.addCommunity(guild.guildId, [{ id: 'silver', name: 'Silver Paw' }]);
    const query = (text: string, values: unknown[]) => t.services.db.pool.query(text, values);
    await query(
      `insert into community_members (community_id, user_id, user_name, role_ids, seen_at)
       select $1, 'DIS#USER#9' || lpad(n::text, 9, '0'), 'Member ' || n, '{}', $2 from generate_series(1, $3::int) as n`,
      [guild.id, t.services.clock(), members],
    );
    // Another change set of the same size, which a search must not read.
    for (const id of ['searched', 'other']) {
      await query(
        `insert into change_sets (id, community_id, cause, status, is_urgent, grants, revokes, calls, unknowns, created_at)
         values ($1, $2, 'schedule', 'held', false, 0, $3, $3, 0, $4)`,
        [id, guild.id, members, t.services.clock()],
      );
      await query(
        `insert into change_set_items (change_set_id, community_id, user_id, role_id, action, state, rank, reason, blocks)
         select $1, $2, 'DIS#USER#9' || lpad(n::text, 9, '0'), case when n % 1000 = 0 then 'silver' else 'gold' end, 'revoke', 'planned', 1, '{}', '{}'
         from generate_series(1, $3::int) as n`,
        [id, guild.id, members],
      );
    }
    await query('analyze change_set_items', []);
    await query('analyze community_members', []);
  });
  after(() => t.close());

  const find = async (search: string, more: { paginationToken?: string; limit?: number } = {}) =>
    handleGet(t.as(admin), { communityId: guild.id, changeSetId: 'searched', search, ...more });

  it('finds a member by part of the name, of the id, or of the role’s name, whatever the case, and keeps the totals of all', async () => {
    const last = String(members);
    const found = await find(`mEMBER ${last}`);
    assert.deepEqual(
      found.items.map(({ userName }) => userName),
      [`Member ${last}`],
    );
    assert.equal(
      found.shares.reduce((sum, share) => sum + share.members, 0),
      members,
    );
    assert.deepEqual((await find(`user#9${last.padStart(9, '0')}`)).items.length, 1);
    const ofRole = await find('silver p');
    assert.deepEqual([ofRole.items.length > 0, ofRole.items.every(({ roleId }) => roleId === 'silver')], [true, true]);
    assert.deepEqual((await find('nobody is called this %_\\')).items, []);
  });

  it('continues page by page, and a token belongs to its search', async () => {
    const seen = new Set<string>();
    let paginationToken: string | undefined;
    do {
      const page = await find('member 12', { limit: 100, ...(paginationToken !== undefined && { paginationToken }) });
      for (const { userId } of page.items) seen.add(userId);
      paginationToken = page.paginationToken;
    } while (paginationToken !== undefined);
    const expected = Array.from({ length: members }, (_, n) => `member ${n + 1}`).filter((name) =>
      name.includes('member 12'),
    );
    assert.equal(seen.size, expected.length);
    const { paginationToken: token = '' } = await find('member', { limit: 2 });
    await assert.rejects(find('other', { paginationToken: token }), { code: 'INVALID_PAGINATION_TOKEN' });
    await assert.rejects(
      handleGet(t.as(mallory), { communityId: guild.id, changeSetId: 'searched', search: 'member' }),
      { code: 'ENTITY_NOT_FOUND' },
    );
  });

  it('reads the items of this change set only, and the names of the community once', async () => {
    const recorded = recordStatements(t.services.db);
    await find('no such name');
    const statement = recorded.stop().find(({ text }) => text.includes('position('));
    assert.ok(statement);
    const { rows } = await t.services.db.pool.query(
      `explain (analyze, format json) ${statement.text}`,
      statement.values,
    );
    const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
    const readOf = (table: string) =>
      nodes
        .filter((node) => node['Relation Name'] === table)
        .reduce(
          (sum, node) => sum + (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
          0,
        );
    assert.deepEqual([readOf('change_set_items'), readOf('community_members')], [members, members]);
  });
});
