import type { Actor } from '@latchkey/kernel';
import { selectCommunity } from '../../../communities/community-records/index.ts';
import { readLivingClaims } from '../../../developers/oauth2/index.ts';
import { type Context, contextFor } from '../../../shared/context.ts';
import { evaluateJoinRequest } from '../../../surfaces/telegram/evaluate-join-request.ts';
import { memberRole } from '../../../surfaces/telegram/member-role.ts';
import type { TestPlatform } from '../../../testing/index.ts';
import { checkRoles } from '../../access-control/check-roles.ts';
import { decideCheck } from '../../access-control/jobs.ts';
import { getCheckRolesResponse, getCommunityUserRoles } from '../../access-control/operations.ts';
import type { TokenGatingResponse } from '../../access-control/token-gating.ts';
import { explainRole, getChangeSet, previewChangeSet, reconcileNow } from '../../role-changes/index.ts';
import { admin } from '../../role-changes/testing/index.ts';
import {
  applyRoles,
  checkCommunityRoles,
  checkUserRoles,
  checkUserRolesByQuery,
} from '../../role-manager/operations.ts';
import type { UserRoleAssignments } from '../../role-manager/role-check.ts';
import type { RoleReason, Truth } from '../../rules/index.ts';
import type { RandomCommunity, RandomMember } from './random-community.ts';

export interface Evaluation {
  roles: ReadonlyMap<string, Truth>;
  rules: ReadonlyMap<string, Truth>;
}

/** A surface that reports roles. Its actual and expected results are lists of short texts. */
export interface RoleSurface {
  name: string;
  /** Which members it can be called for; defaults to all. */
  asksAbout?(community: RandomCommunity, member: RandomMember): boolean;
  ask(t: TestPlatform, community: RandomCommunity, member: RandomMember): Promise<string[]>;
  expected(evaluation: Evaluation, member: RandomMember, community: RandomCommunity): string[];
}

const say = (truths: Iterable<readonly [string, Truth]>) =>
  [...truths].map(([id, truth]) => `${id} ${truth}`).toSorted();
const everyRole = ({ roles }: Evaluation) => say(roles);

/** The roles that a community decides, apart from those that only a guest pass grants. */
function planned({ roles }: Evaluation, { guestRoles }: RandomMember, { definitions }: RandomCommunity) {
  const spoken = new Set(definitions.map(({ roleId }) => roleId));
  return [...roles].filter(([roleId]) => spoken.has(roleId) || !guestRoles.includes(roleId));
}

const changes: RoleSurface['expected'] = (evaluation, member, community) =>
  planned(evaluation, member, community)
    .filter(([roleId, truth]) => truth !== 'unknown' && (truth === 'true') !== member.held.includes(roleId))
    .map(([roleId, truth]) => `${truth === 'true' ? 'grant' : 'revoke'} ${roleId}`)
    .toSorted();

const rolesAfter: RoleSurface['expected'] = (evaluation, member, community) => {
  const after = new Set(member.held);
  for (const [roleId, truth] of planned(evaluation, member, community)) {
    if (truth === 'true') after.add(roleId);
    if (truth === 'false') after.delete(roleId);
  }
  return [...after].toSorted();
};

const answered = ({ roles = [], errors = [] }: TokenGatingResponse) =>
  say([
    ...roles.map(({ id = '', granted }): [string, Truth] => [id, granted ? 'true' : 'false']),
    ...[...new Set(errors.map(({ roleId }) => String(roleId)))].map((id): [string, Truth] => [id, 'unknown']),
  ]);

const assigned = (results: readonly UserRoleAssignments[] | undefined, { userId }: RandomMember) => {
  const { roles = [] } = results?.find(({ user }) => user?.userId === userId) ?? {};
  const truthOf = (expected: boolean | undefined): Truth =>
    expected === undefined ? 'unknown' : expected ? 'true' : 'false';
  return say(roles.map(({ id = '', expected }) => [id, truthOf(expected)]));
};

/** The context of the signed-in member. */
function asMember(t: TestPlatform, { userId }: RandomMember): Context {
  const actor: Actor = { kind: 'user', userId, platform: 'discord', scopes: ['$all'], credential: 'wallet-session' };
  return t.as(actor);
}

async function rowOf(t: TestPlatform, { guild }: RandomCommunity) {
  const row = await selectCommunity(t.services.db.system, guild.id);
  if (row === undefined) throw new Error('Community not found.');
  return row;
}

/** A bare account has no roles or guest passes, so it is comparable only to a member without any. */
const hasNothing = (_community: RandomCommunity, { index }: RandomMember) => index === 0;

/** Surfaces that only read. */
export const roleSurfaces: readonly RoleSurface[] = [
  {
    name: 'GET /access-control/{communityId}/{userId}/roles',
    ask: async (t, { guild }, { userId }) =>
      answered(await getCommunityUserRoles(t.as(admin), { communityId: guild.id, userId })),
    expected: everyRole,
  },
  {
    name: 'POST /access-control/check-roles about an account',
    asksAbout: hasNothing,
    ask: async (t, { guild, definitions }, { index }) =>
      answered(await checkRoles(t.as(admin), { body: { account: guild.walletOf(index), rules: [...definitions] } })),
    expected: everyRole,
  },
  {
    name: 'POST /access-control/check-roles about oneself',
    asksAbout: hasNothing,
    ask: async (t, { definitions }, member) =>
      answered(await checkRoles(asMember(t, member), { body: { rules: [...definitions] } })),
    expected: everyRole,
  },
  {
    name: 'POST /access-control/check-roles later',
    asksAbout: hasNothing,
    ask: async (t, { guild, definitions }, { index }) => {
      const ctx = t.as(admin);
      const account = guild.walletOf(index);
      const { requestId = '' } = await checkRoles(ctx, { body: { account, rules: [...definitions], async: true } });
      const signal = new AbortController().signal;
      const job = contextFor(t.services, { kind: 'system', job: decideCheck.name });
      await decideCheck.run(job, { requestId }, { id: '1', attempt: 1, signal });
      return answered(await getCheckRolesResponse(ctx, { requestId }));
    },
    expected: everyRole,
  },
  {
    name: 'POST /role-manager/check-user-roles',
    ask: async (t, { guild }, member) => {
      const body = { communityId: guild.id, userId: member.userId };
      return assigned((await checkUserRoles(t.as(admin), { body })).results, member);
    },
    expected: everyRole,
  },
  {
    name: 'POST /role-manager/check-community-roles',
    ask: async (t, { guild }, member) =>
      assigned((await checkCommunityRoles(t.as(admin), { body: { communityId: guild.id } })).results, member),
    expected: everyRole,
  },
  {
    name: 'the member, about their own roles',
    ask: async (t, { guild }, member) => {
      const query = { communityId: guild.id, userId: member.userId };
      return assigned((await checkUserRolesByQuery(asMember(t, member), query)).results, member);
    },
    expected: everyRole,
  },
  {
    name: '/latchkey roles',
    ask: async (t, community, { userId }) => {
      const looked = await reconcileNow(t.as(admin), await rowOf(t, community), [userId], { liftSuppressions: false });
      return say(looked.members.flatMap(({ verdicts }) => verdicts).map(({ roleId, truth }) => [roleId, truth]));
    },
    expected: everyRole,
  },
  {
    name: 'a request to join',
    asksAbout: (_community, { userId }) => userId.startsWith('TEL#'),
    ask: async (t, community, { index }) => {
      const { guild } = community;
      const join = await evaluateJoinRequest(t.as(admin), await rowOf(t, community), guild.nativeIdOf(index));
      return [join.truth];
    },
    expected: ({ roles }) => [roles.get(memberRole) ?? 'unruled'],
  },
  {
    name: 'the holdings in a token',
    ask: async (t, { guild }, { userId }) => {
      const { holdings } = await readLivingClaims(t.as(admin), userId, [`holdings:${guild.id}`]);
      return [...(holdings?.[guild.id] ?? [])].toSorted();
    },
    expected: ({ rules }) =>
      [...rules]
        .filter(([, truth]) => truth === 'true')
        .map(([id]) => id)
        .toSorted(),
  },
  {
    name: 'a preview',
    ask: async (t, { guild }, { userId }) => {
      const { id } = await previewChangeSet(t.as(admin), guild.id, [userId]);
      const { items } = await getChangeSet(t.as(admin), id);
      return items.items.map(({ action, role_id }) => `${action} ${role_id}`).toSorted();
    },
    expected: changes,
  },
];

/** Surfaces that write what they find. */
export const writers: readonly RoleSurface[] = [
  {
    name: 'POST /role-manager/apply',
    asksAbout: (_community, { index }) => index === 1,
    ask: async (t, { guild }, { userId }) => {
      const { roles } = await applyRoles(t.as(admin), { communityId: guild.id, userId });
      return [...(roles?.[0]?.roles ?? [])].toSorted();
    },
    expected: rolesAfter,
  },
  {
    name: 'a sweep',
    ask: async (_t, { guild }, { index }) => {
      await guild.resync();
      return [...(guild.rolesOf(index) ?? [])].toSorted();
    },
    expected: rolesAfter,
  },
];

/** Explains why a member got or lost roles: the recorded reasons must match the evaluation. */
export const why: RoleSurface = {
  name: 'why',
  ask: async (t, { guild, definitions }, { userId }) => {
    const at = t.services.clock();
    const roleIds = [...new Set(definitions.map(({ roleId }) => String(roleId)))];
    const entries = roleIds.map(async (roleId) => {
      const { had, entry } = await explainRole(t.as(admin), { communityId: guild.id, userId, roleId, at });
      if (entry === undefined) return [];
      const { truth } = entry.reason as RoleReason;
      return [`${had ? 'grant' : 'revoke'} ${roleId}${(truth === 'true') === had ? '' : `, though ${truth}`}`];
    });
    return (await Promise.all(entries)).flat().toSorted();
  },
  expected: changes,
};
