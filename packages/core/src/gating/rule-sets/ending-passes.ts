import type { CommunityRow } from '../../communities/community-records/index.ts';
import { guestsAmong, selectRunningOf } from '../../communities/guest-passes/index.ts';
import type { Context } from '../../shared/context.ts';
import { plainName } from '../naming/index.ts';
import type { ReconciledMember } from '../role-changes/index.ts';
import type { RuleSetDiff } from './diff.ts';
import type { RuleSetPlan, WantedRuleSet } from './shapes.ts';

/** The guest passes that would be deleted, and the members who have them. */
export interface EndingPasses {
  passes: readonly { id: string; name: string }[];
  grants: Awaited<ReturnType<typeof selectRunningOf>>;
}

export async function readEndingPasses(
  { db }: Pick<Context, 'db'>,
  { unlistedPasses }: RuleSetDiff,
  unlisted: WantedRuleSet['unlisted'],
): Promise<EndingPasses> {
  const passes = unlisted === 'keep' ? [] : unlistedPasses;
  const ids = passes.map(({ id }) => id);
  return { passes, grants: ids.length === 0 ? [] : await selectRunningOf(db.system, ids) };
}

/** A changed pass grants something else to those who get it from then on; a deleted one ends for everyone who has it. */
export async function passWarnings(
  { db }: Pick<Context, 'db'>,
  { passes }: RuleSetDiff,
  ending: EndingPasses,
  { effects, effectsProblem }: Pick<RuleSetPlan, 'effects' | 'effectsProblem'>,
): Promise<string[]> {
  const changed = passes.flatMap(({ existing, fields, wanted }) =>
    existing !== undefined && fields.some((field) => ['roleIds', 'periodSeconds'].includes(field))
      ? [{ id: existing.id, name: wanted.name }]
      : [],
  );
  const kept =
    changed.length === 0
      ? []
      : await selectRunningOf(
          db.system,
          changed.map(({ id }) => id),
        );
  const holdersIn = (grants: EndingPasses['grants'], id: string) => {
    const { length } = grants.filter(({ pass_id: passId }) => passId === id);
    return length === 1 ? '1 member' : `${length} members`;
  };
  const counted = effects?.isWhole === true;
  const losses = counted
    ? 'The members below include who loses roles by that.'
    : effects !== undefined
      ? 'Who loses roles by that is known only for the members who were checked.'
      : `Who loses roles by that is unknown${effectsProblem === undefined ? '' : ', because members were not checked'}.`;
  return [
    ...changed.map(
      ({ id, name }) =>
        `Guest pass “${plainName(name)}” changes for those who get it from now on. ${holdersIn(kept, id)} with it now keep what it gave them.`,
    ),
    ...ending.passes.map(
      ({ id, name }) => `Guest pass “${plainName(name)}” ends for ${holdersIn(ending.grants, id)}. ${losses}`,
    ),
  ];
}

/**
 * What members lose because a guest pass ends: the roles that it gave them, unless a rule decides the role or another of their
 * passes grants it. Rules that count passes are decided without it. `roleIds` are the roles that change for its holders.
 */
export async function findPassEnds(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { id: communityId }: CommunityRow,
  members: readonly ReconciledMember[],
  { passes, grants }: EndingPasses,
): Promise<{ taken: ReadonlyMap<string, readonly string[]>; roleIds: ReadonlySet<string> }> {
  const ended = passes.map(({ id }) => id);
  const given = Map.groupBy(grants, ({ user_id: userId }) => userId);
  const others = await guestsAmong(db.system, communityId, [...given.keys()], clock(), ended);
  const holders = members.filter(({ row }) => given.has(row.user_id));
  const taken = new Map(
    holders.map(({ row: { user_id: userId }, roleIds, verdicts }) => {
      const stays = new Set([...(others.get(userId)?.roleIds ?? []), ...verdicts.map(({ roleId }) => roleId)]);
      const gave = new Set((given.get(userId) ?? []).flatMap(({ given_role_ids: ids }) => ids));
      return [userId, [...gave].filter((roleId) => roleIds.includes(roleId) && !stays.has(roleId))];
    }),
  );
  const changed = holders.flatMap(({ changes }) => changes.map(({ roleId }) => roleId));
  return { taken, roleIds: new Set([...[...taken.values()].flat(), ...changed]) };
}
