import { sql } from '@latchkey/db';
import type { ConsoleWorld } from './console.ts';

const day = 24 * 60 * 60 * 1000;

export interface MembersWorld {
  communityId: string;
  adminId: string;
  planId: string;
}

/** A name that would break a page that takes names for more than text. */
export const hostileName = `<img src=x onerror=alert(1)>\u202e${'w'.repeat(4000)}`;

/** Names that people have, which pages find hard to lay out. */
export const hardNames = {
  long: `${'Longest name of all, '.repeat(5).slice(0, 99)}!`,
  rightToLeft: 'مجتمع القطط السعيدة في المدينة القديمة',
  emoji: '👩‍👩‍👧‍👦🏴‍☠️'.repeat(12),
  html: '</a><b>bold</b><!-- <script>ran(1)</script>',
} as const;

interface Size {
  members: number;
  /** How many of them wait to lose a role. */
  removals: number;
}

const reason = {
  truth: 'false',
  rules: [
    {
      id: 'TPC#1',
      truth: 'false',
      reason: {
        kind: 'leaf',
        truth: 'false',
        rule: 'ERC20',
        asset: 'evm:1/ERC20:0x00000000000000000000000000000000000000aa',
        needed: 'at least 5',
        readings: [{ wallet: '0x1', chain: 'evm:1', truth: 'false', value: '3', block: '77' }],
      },
    },
  ],
};

/**
 * A community whose members are called member 001, member 002 and so on, but for a few with hard names. Some of them got a role two days
 * ago and lost it an hour ago, and others wait to lose it.
 */
export async function setUpMembers(
  { server }: ConsoleWorld,
  number: number,
  { members, removals }: Size = { members: 120, removals: 25 },
): Promise<MembersWorld> {
  const db = server.services.db.system;
  const [native, adminId] = [`9300${number}`, `DIS#USER#9400${number}`];
  const [communityId, planId] = [`DIS#COMM#${native}`, `plan-${native}`];
  const now = server.services.clock();
  const ago = (ms: number) => new Date(now.getTime() - ms);
  await sql`
    insert into communities (id, platform, community_id, name, status, owner_id, profile, disable_background_checks,
      created_at, updated_at)
    values (${communityId}, 'discord', ${native}, 'Cats', 'active', ${adminId}, '{}', true, ${now}, ${now})`.execute(
    db,
  );
  await sql`
    insert into community_admins (community_id, user_id, added_at, named_by)
    values (${communityId}, ${adminId}, ${now}, '$admin')`.execute(db);
  await sql`
    insert into community_rules (id, community_id, role_id, definition, created_at, updated_at)
    values ('TPC#1', ${communityId}, 'gold', '{"name":"Cat holders","type":"ERC20","chainId":1,
      "contractAddress":"0x00000000000000000000000000000000000000aa","minToken":"5","roleId":"gold"}', ${now}, ${now})`.execute(
    db,
  );
  await sql`
    insert into community_members (community_id, user_id, user_name, role_ids, seen_at, checked_at)
    select ${communityId}, 'DIS#USER#' || ${native}::text || n,
      case n when 7 then ${hostileName} when 11 then ${hardNames.long} when 12 then ${hardNames.rightToLeft}
        when 13 then ${hardNames.emoji} when 14 then ${hardNames.html}
        else 'member ' || lpad(n::text, ${String(members).length}, '0') end, '{gold}', ${now}, ${ago(3_600_000)}
    from generate_series(1, ${members}::int) as m (n)`.execute(db);
  await sql`
    insert into change_sets (id, community_id, cause, status, note, is_urgent, grants, revokes, calls, unknowns, created_at)
    values (${planId}, ${communityId}, 'rule', 'held',
      ${`${removals} of ${members} members with the role gold would lose it within 24 hours.`}, false, 0, ${removals},
      ${removals}, 2, ${ago(600_000)})`.execute(db);
  await sql`
    insert into change_set_items (change_set_id, community_id, user_id, role_id, action, state, rank, reason, blocks)
    select ${planId}, ${communityId}, 'DIS#USER#' || ${native}::text || n, 'gold', 'revoke', 'planned', n,
      ${JSON.stringify(reason)}::jsonb, '{"evm:1":"77"}'
    from generate_series(1, ${removals}::int) as m (n)`.execute(db);
  const given = { ...reason, truth: 'true', rules: [{ ...reason.rules[0], truth: 'true' }] };
  for (const [action, at, why] of [
    ['grant', ago(2 * day), given],
    ['revoke', ago(3_600_000), reason],
  ] as const)
    await sql`
      insert into role_ledger (community_id, user_id, role_id, action, at, change_set_id, is_automatic, reason, blocks)
      select ${communityId}, 'DIS#USER#' || ${native}::text || n, 'gold', ${action}, ${at}, ${`${planId}-${action}`}, true,
        ${JSON.stringify(why)}::jsonb, '{"evm:1":"77"}'
      from generate_series(40, 45) as m (n)`.execute(db);
  return { communityId, adminId, planId };
}
