import type { Recipe } from './recipe.ts';

const route = 'GET /latchkey/communities/{communityId}/member-count';
const members = 'packages/core/src/communities/members';

export const operation: Recipe = {
  title: 'add an operation',
  atMost: 4,
  checks: [
    `${members}/members.test.ts`,
    'packages/server/test/guards/contract.test.ts',
    'apps/portal/reference/recorded.test.ts',
  ],
  apply: (tree) => {
    tree.insertAfter(`${members}/operations.ts`, '  countByRole,\n', '  countPresent,\n');
    tree.insertAfter(
      `${members}/operations.ts`,
      'export const memberOperations = [\n',
      `  op(
    '${route}',
    {
      id: 'countMembers',
      summary: 'Count members',
      description: 'Returns how many members a community has, bots apart. For community admins.',
      access,
      params: { communityId: communityParam },
      returns: MemberCount,
    },
    countMembers,
  ),
`,
    );
    tree.insertBefore(
      `${members}/operations.ts`,
      'export const memberOperations = [\n',
      `const MemberCount = record('MemberCount', 'How many members a community has.', {
  count: T.Number({ description: 'How many members there are, bots apart.' }),
});

export async function countMembers(
  ctx: Context,
  { communityId }: { communityId: string },
): Promise<{ count: number }> {
  const community = await ctx.tx((tx) => getCommunity(tx, communityId));
  const counts = await countPresent(ctx.db.system, [community.id]);
  return { count: counts.get(community.id) ?? 0 };
}

`,
    );
    tree.addEntry('packages/kernel/inventory/own-operations.json', route, 'countMembers');
    tree.insertAfter(
      `${members}/members.test.ts`,
      "import { noteMember, syncMembers } from './sync-members.ts';\n",
      "import { countMembers } from './operations.ts';\n",
    );
    tree.insertBefore(
      `${members}/members.test.ts`,
      "  it('aborts a listing that cannot be stored'",
      `  it('counts the members only for admins', async () => {
    const guild = await settle(2);
    await guild.sync();
    assert.deepEqual(await countMembers(t.as(admin), { communityId: guild.id }), { count: 2 });
    await assert.rejects(countMembers(t.as(mallory), { communityId: guild.id }), { code: 'ENTITY_NOT_FOUND' });
  });

`,
    );
    // The reference shows recorded calls. A contributor records this with LATCHKEY_RECORD_EXAMPLES=1.
    tree.addEntry('packages/server/examples/latchkey.json', route, {
      request: { path: '/latchkey/communities/DIS%23COMM%23100/member-count' },
      response: { status: 200, type: 'application/json', body: { count: 2 } },
    });
  },
};
