import { AppError, choice, notFound, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin } from '../../communities/access/index.ts';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { askDiscord } from '../../communities/discord-guilds/index.ts';
import { selectHoldersOfAny } from '../../communities/memberships/index.ts';
import { readNames } from '../../gating/naming/index.ts';
import { nameInAudit } from '../../services/audit/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { checkBackDoors, covers } from './check.ts';
import { adviseOn, canFix, effectOf, titleOf } from './describe.ts';
import { doorKinds } from './find-doors.ts';
import {
  type DoorRow,
  deleteExpected,
  type ExpectedRow,
  putExpected,
  selectCheck,
  selectDoors,
  selectExpected,
  type Unchecked,
} from './queries.ts';

const mostDoors = 1_000;
const namesShown = 5;

const BackDoor = record('BackDoor', 'A way to a role that does not go through its rules.', {
  id: text('Identifies the entry, to close it or to mark it as expected.'),
  kind: choice(
    'invite: an invite that carries the role. onboarding: an option that new members choose. linked-role: Discord gives the role for connected accounts. purchase: the role can be bought. integration: for subscribers on another service. bot: another bot may give roles. staff: people with a role that lets them give others.',
    doorKinds,
  ),
  title: text('What it is, in a few words.'),
  roles: T.Array(
    record('BackDoorRole', 'A role that a rule decides and that can be had this way.', {
      id: text('The role’s id on Discord.'),
      name: T.Optional(text('The name of the role.')),
    }),
    { description: 'The roles of rules that it gives.', maxItems: 250 },
  ),
  creatorName: T.Optional(text('Who created it, if Discord says so.')),
  createdTime: T.Optional(text('When it was created, if Discord says so. In ISO 8601.')),
  foundTime: text('When Latchkey found it, in ISO 8601.'),
  expiresTime: T.Optional(text('When an invite expires, in ISO 8601.')),
  uses: T.Optional(T.Number({ description: 'How often an invite was used, if the bot may see it.', minimum: 0 })),
  holders: T.Optional(T.Number({ description: 'How many people can give the roles.', minimum: 0 })),
  holderNames: T.Optional(T.Array(text('A name on Discord.'), { description: 'Some of them.', maxItems: namesShown })),
  remedy: text('What to do about it, in a sentence.'),
  fixEffect: T.Optional(text('What closing it from here does; absent if the bot cannot close it.')),
  expected: T.Optional(
    record('BackDoorExpected', 'Why admins expect it.', {
      reason: text('The reason that an admin gave.'),
      time: text('When it was marked, in ISO 8601.'),
    }),
  ),
});
type BackDoor = ValueOf<typeof BackDoor>;

const BackDoors = record('BackDoors', 'Every known way to the roles of rules that does not go through the rules.', {
  checkedTime: T.Optional(text('When Discord was last read for this, in ISO 8601; absent before the first time.')),
  backDoors: T.Array(BackDoor, {
    description: 'Those that are not expected first, then the latest first.',
    maxItems: mostDoors,
  }),
  unchecked: T.Array(
    record('BackDoorUnchecked', 'What could not be read. Ways that were known there stay listed.', {
      what: choice('The part of the server.', ['invites', 'onboarding', 'integrations'] as const),
      remedy: text('Why, and what to do about it.'),
    }),
    { description: 'What the list may lack.', maxItems: 3 },
  ),
});
type BackDoors = ValueOf<typeof BackDoors>;

const ExpectedReason = record('BackDoorReason', 'Why a way around the rules is expected.', {
  reason: text('The reason, for other admins.', { minLength: 1, maxLength: 300 }),
});

const communityId = communityParam;
const backDoorId = text('The entry, as in the list.', { minLength: 1, maxLength: 64 });
const path = '/latchkey/communities/{communityId}/back-doors' as const;

export const backDoorOperations = [
  op(
    `GET ${path}`,
    {
      id: 'listBackDoors',
      summary: 'List back doors to gated roles',
      description:
        'Returns every way to a role that a rule decides that does not go through the rule: invites with roles, options of onboarding, linked roles, roles that are sold, integrations, other bots, and people who may give roles. Latchkey reads them from Discord every six hours and after changes. Empty for other platforms than Discord. For community admins.',
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId },
      returns: BackDoors,
    },
    listBackDoors,
  ),
  op(
    `POST ${path}/check`,
    {
      id: 'checkBackDoors',
      summary: 'Check for back doors now',
      description:
        'Reads the Discord server at once and returns the list. Refused with STATE_CONFLICT while the community is paused or the bot is not in the server, since nothing is read then. For community admins.',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId },
      returns: BackDoors,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    checkNow,
  ),
  op(
    `POST ${path}/{backDoorId}/close`,
    {
      id: 'closeBackDoor',
      summary: 'Close a back door',
      description:
        'Deletes the invite, or takes the roles of rules from the option of onboarding. `fixEffect` in the list says what happens; ways without it are closed by people, as `remedy` says. Members who have the role already keep it until the next check. For community admins.',
      audit: 'community.back-door-close',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId, backDoorId },
      returns: BackDoors,
      errors: ['ENTITY_NOT_FOUND', 'STATE_CONFLICT', 'UNAVAILABLE'],
    },
    closeBackDoor,
  ),
  op(
    `PUT ${path}/{backDoorId}/expected`,
    {
      id: 'expectBackDoor',
      summary: 'Mark a back door as expected',
      description:
        'Marks a way as expected, with a reason that other admins see. Admins are not notified of it again, unless it gives another role later. Bots and staff may give any role. For community admins.',
      audit: 'community.back-door-mark',
      auditedFields: ['reason'],
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId, backDoorId },
      body: ExpectedReason,
      returns: BackDoors,
      errors: ['ENTITY_NOT_FOUND'],
    },
    expectBackDoor,
  ),
  op(
    `DELETE ${path}/{backDoorId}/expected`,
    {
      id: 'unexpectBackDoor',
      summary: 'Remove an expected mark',
      description: 'Lists the entry as unexpected again. Removing it again changes nothing. For community admins.',
      audit: 'community.back-door-mark',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId, backDoorId },
      returns: BackDoors,
      errors: ['ENTITY_NOT_FOUND'],
    },
    unexpectBackDoor,
  ),
] as const;

type Here = { communityId: string };
type There = Here & { backDoorId: string };

export async function listBackDoors(ctx: Context, { communityId }: Here): Promise<BackDoors> {
  const community = await getCommunity(ctx, communityId);
  const { system } = ctx.db;
  const [check, rows, expected] = await Promise.all([
    selectCheck(system, community.id),
    selectDoors(system, community.id),
    selectExpected(system, community.id),
  ]);
  const names = await readNames(ctx, community, []);
  const staff = rows.flatMap(({ details }) => details.staffRoleId ?? []);
  const holders = await selectHoldersOfAny(system, community.id, [...new Set(staff)]);
  const lacking = new Set(check?.unchecked.flatMap(({ permission }) => permission ?? []));
  const doors = [...Map.groupBy(rows, ({ door_id }) => door_id).values()].map((ofDoor) =>
    describe(ofDoor, {
      roleName: names.role,
      expected: expected.find(({ door_id }) => door_id === ofDoor[0]?.door_id),
      holders: (roleId) =>
        holders.flatMap((one) => (!one.isBot && one.roleIds.includes(roleId) ? (one.userName ?? []) : [])),
      lacking,
    }),
  );
  return {
    ...(check?.checked_at && { checkedTime: check.checked_at.toISOString() }),
    backDoors: doors
      .toSorted((a, b) => Number(a.expected !== undefined) - Number(b.expected !== undefined))
      .slice(0, mostDoors),
    unchecked: (check?.unchecked ?? []).map(describeUnchecked),
  };
}

export async function checkNow(ctx: Context, { communityId }: Here): Promise<BackDoors> {
  const community = await getCommunity(ctx, communityId);
  if (community.platform !== 'discord')
    throw new AppError('STATE_CONFLICT', 'Back doors are only checked in Discord servers.');
  if (community.status !== 'active')
    throw new AppError(
      'STATE_CONFLICT',
      community.status === 'kicked'
        ? 'The bot is not in this Discord server, so nothing was checked. Add it with the invite link first.'
        : 'This community is paused, so nothing was checked. Resume it first.',
    );
  await askDiscord(ctx, () => checkBackDoors(ctx, community.id));
  return listBackDoors(ctx, { communityId });
}

export async function closeBackDoor(ctx: Context, { communityId, backDoorId }: There): Promise<BackDoors> {
  const { community, rows, first } = await getDoor(ctx, communityId, backDoorId);
  const { code, optionId } = first.details;
  if (!canFix(first)) throw new AppError('STATE_CONFLICT', `The bot cannot close this. ${adviseOn(first)}`);
  const reason = `Closed in Latchkey by ${nameInAudit(ctx.actor)}`;
  await askDiscord(ctx, async (discord) => {
    if (code !== undefined) await discord.deleteInvite(code, reason);
    if (optionId === undefined) return;
    for (const { role_id: roleId } of rows)
      await discord.trimOnboarding(community.community_id, { optionId, roleId }, reason);
  });
  // What Discord has now counts, not what we asked for.
  await askDiscord(ctx, () => checkBackDoors(ctx, community.id));
  return listBackDoors(ctx, { communityId });
}

/** Any role, for those whose permissions give all roles below theirs. */
const mayGiveAny: ReadonlySet<DoorRow['kind']> = new Set(['bot', 'staff']);

export async function expectBackDoor(
  ctx: Context,
  { communityId, backDoorId, body }: There & { body: { reason: string } },
): Promise<BackDoors> {
  const { community, rows, first } = await getDoor(ctx, communityId, backDoorId);
  const { actor, clock, db } = ctx;
  await db.transaction('system', (tx) =>
    putExpected(tx, {
      community_id: community.id,
      door_id: backDoorId,
      role_ids: mayGiveAny.has(first.kind) ? null : rows.map(({ role_id }) => role_id),
      reason: body.reason,
      decided_by: actor.kind === 'user' ? actor.userId : null,
      decided_at: clock(),
    }),
  );
  return listBackDoors(ctx, { communityId });
}

export async function unexpectBackDoor(ctx: Context, { communityId, backDoorId }: There): Promise<BackDoors> {
  const { community } = await getDoor(ctx, communityId, backDoorId);
  await ctx.db.transaction('system', (tx) => deleteExpected(tx, community.id, backDoorId));
  return listBackDoors(ctx, { communityId });
}

async function getCommunity({ db }: Pick<Context, 'db'>, id: string): Promise<CommunityRow> {
  const community = await selectCommunity(db.system, id);
  if (community === undefined) throw notFound('community');
  return community;
}

async function getDoor(ctx: Pick<Context, 'db'>, communityId: string, id: string) {
  const community = await getCommunity(ctx, communityId);
  const rows = (await selectDoors(ctx.db.system, community.id)).filter(({ door_id }) => door_id === id);
  const [first] = rows;
  if (first === undefined) throw notFound('back door');
  return { community, rows, first };
}

interface Around {
  roleName(roleId: string): string;
  expected: ExpectedRow | undefined;
  holders(roleId: string): string[];
  /** The permissions that the bot lacks. */
  lacking: ReadonlySet<string>;
}

function describe(rows: readonly DoorRow[], around: Around): BackDoor {
  const [first] = rows;
  if (first === undefined) throw new Error('A back door gives at least one role.');
  const { door_id: id, kind, by_name, made_at, details } = first;
  const isExpected = rows.every(({ role_id }) => covers(around.expected, role_id));
  const names = details.staffRoleId === undefined ? [] : around.holders(details.staffRoleId).slice(0, namesShown);
  const foundAt = new Date(Math.max(...rows.map(({ found_at }) => found_at.getTime())));
  const isFixable = canFix(first) && !around.lacking.has('Manage Guild');
  return {
    id,
    kind,
    title: titleOf(first),
    roles: rows.map(({ role_id }) => ({ id: role_id, name: around.roleName(role_id) })),
    ...(by_name !== null && { creatorName: by_name }),
    ...(made_at !== null && { createdTime: made_at.toISOString() }),
    foundTime: foundAt.toISOString(),
    ...(details.expiresAt !== undefined && { expiresTime: details.expiresAt }),
    ...(details.uses !== undefined && { uses: details.uses }),
    ...(details.holders !== undefined && { holders: details.holders }),
    ...(names.length > 0 && { holderNames: names }),
    remedy: adviseOn(first),
    ...(isFixable && { fixEffect: effectOf(first) }),
    ...(isExpected &&
      around.expected && {
        expected: { reason: around.expected.reason, time: around.expected.decided_at.toISOString() },
      }),
  };
}

const partNames = { invites: 'invites', onboarding: 'the onboarding', integrations: 'integrations' } as const;

function describeUnchecked({ what, permission }: Unchecked): BackDoors['unchecked'][number] {
  const part = partNames[what];
  const shown = permission === 'Manage Guild' ? 'Manage Server' : permission;
  const remedy =
    shown === undefined
      ? `Discord did not return ${part}. Latchkey tries again within 20 minutes.`
      : `The bot may not read ${part}. To include them, give the bot the permission ${shown}: Server Settings > Roles.`;
  return { what, remedy };
}
