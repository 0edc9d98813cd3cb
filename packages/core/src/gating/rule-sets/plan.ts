import { AppError, notFound } from '@latchkey/kernel';
import { type CommunityRow, selectCommunity } from '../../communities/community-records/index.ts';
import { type CommunityRuleRow, selectRetiredRoles } from '../../communities/rule-records/index.ts';
import { PlatformFailed } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { policyOf } from '../approval-policies/index.ts';
import { assetsOf, type OpenRules, openRules, readableRules } from '../evaluation/index.ts';
import { plainName, readTokenNames } from '../naming/index.ts';
import { findHeldRoles, type ReconciledMember, reconcileByDraft } from '../role-changes/index.ts';
import { assertionInWords, assetsIn, checkAssertions, toRows } from '../rule-assertions/index.ts';
import { roleNamer, rolesOf } from '../rule-builder/index.ts';
import { assetLeavesOf, costOf, walletNamespaceOf } from '../rules/index.ts';
import { analyzeRuleSet } from './analyze.ts';
import { findProblemsOf } from './check.ts';
import { describeChanges } from './describe-changes.ts';
import { diffRuleSet, type RuleSetDiff, wantedAssertions, writesSomething } from './diff.ts';
import { type EndingPasses, findPassEnds, passWarnings, readEndingPasses } from './ending-passes.ts';
import { orderRules } from './order.ts';
import type { RuleSet, RuleSetEffects, RuleSetPlan, WantedRuleSet } from './shapes.ts';
import { compositionIn, readState, rolesDecidedBy } from './state.ts';

const mostMembers = 10_000;
const mostNamed = 1_000;

/** The community that an admitted caller named. */
export async function getNamed(ctx: Pick<Context, 'db'>, communityId: string): Promise<CommunityRow> {
  const community = await selectCommunity(ctx.db.system, communityId);
  if (community === undefined) throw notFound('community');
  return community;
}

export async function getRuleSet(ctx: Context, { communityId }: { communityId: string }): Promise<RuleSet> {
  const community = await getNamed(ctx, communityId);
  const [{ rows: _rows, ...state }, roles] = await Promise.all([
    readState(ctx.db.system, community),
    rolesOf(ctx, community),
  ]);
  return {
    communityId: community.id,
    communityName: community.name,
    platform: community.platform,
    ...state,
    ...(roles !== undefined && { roles: [...roles.values()].map(({ id, name }) => ({ id, name })) }),
  };
}

/** Returns what applying a rule set would change, what prevents it, and who would gain and lose roles. Changes nothing. */
export async function planRuleSet(
  ctx: Context,
  { communityId, body }: { communityId: string; body: WantedRuleSet },
): Promise<RuleSetPlan> {
  const community = await getNamed(ctx, communityId);
  const state = await readState(ctx.db.system, community);
  const diff = diffRuleSet(state, body);
  const { rows: drafted, decisive } = draftRows(state.rows, diff, body.unlisted);
  const roles = await rolesOf(ctx, community);
  const isListed = body.assertions !== undefined;
  const assertions = wantedAssertions(diff, { existing: state.assertions, unlisted: body.unlisted, isListed });
  const faults = await findProblemsOf(ctx, community, diff, { assertions, brakes: body.brakes });
  const changes = await describeChanges(ctx, diff, body.unlisted, roles);
  const [before, after] = [openRules(state.rows), openRules(drafted)];
  const touched = touchedBy(diff, body.unlisted, { decisive, rows: [...state.rows, ...drafted] });
  const role = roleNamer(roles);
  const rows = faults.length > 0 ? [] : toRows(assertions);
  const token = await readTokenNames(ctx, [...assetsOf(before), ...assetsOf(after), ...rows.flatMap(assetsIn)], {
    asks: false,
  });
  const names = new Map(drafted.map(({ id, definition }) => [id, plainName(String(definition.name ?? ''))]));
  const words = { role, token, rule: (id: string) => names.get(id) || id };
  const { warnings, proofs } = await analyzeRuleSet(before, after, touched, words);
  const checked = writesSomething(diff, body.unlisted) ? await checkAssertions(after, rows) : [];
  const broken = checked.flatMap(({ row, answer }, index) => {
    // Those that are listed come first.
    const path = index < diff.assertions.length ? `/assertions/${index}` : '';
    return answer.kind === 'proven' ? [] : [{ path, message: assertionInWords(row, answer, words) }];
  });
  const problems = [...faults, ...broken];
  const taken = body.unlisted === 'delete-and-take' ? diff.unlistedRules.flatMap(rolesDecidedBy) : [];
  const passes = await readEndingPasses(ctx, diff, body.unlisted);
  const scope = { taken, roleIds: new Set(touched.roleIds), roles, brakes: body.brakes, passes };
  const effects =
    body.checksMembers === false
      ? {}
      : problems.length > 0
        ? { effectsProblem: 'The rule set cannot be applied.' }
        : await findEffects(ctx, community, drafted, scope);
  return {
    version: state.version,
    brakesVersion: state.brakesVersion,
    changes,
    problems,
    warnings: [...warnings, ...(await passWarnings(ctx, diff, passes, effects))],
    proofs,
    ...(await findRoleFaults(ctx, community, [...before.rules, ...after.rules])),
    readsBefore: readsOf(before),
    readsAfter: readsOf(after),
    ...effects,
  };
}

/** The rules as they would be. New ones get ids of their own, which nobody sees. */
function draftRows(rows: readonly CommunityRuleRow[], diff: RuleSetDiff, unlisted: WantedRuleSet['unlisted']) {
  const gone = new Set(unlisted === 'keep' ? [] : diff.unlistedRules);
  const listed = diff.rules.map(({ index, wanted, existing }) => ({
    id: existing?.id ?? `new-${index}`,
    role_id: wanted.roleId,
    definition: wanted.body as Record<string, unknown>,
  }));
  const byId = new Map(listed.map((row) => [row.id, row]));
  // New rules come after those that there are, unless the order changes.
  const kept = rows.filter((row) => !gone.has(row)).map((row) => byId.get(row.id) ?? row);
  const made = diff.rules.flatMap(({ existing }, at) => (existing === undefined ? (listed[at] ?? []) : []));
  return orderRules(
    [...kept, ...made],
    listed.map(({ id }) => id),
  );
}

/** The rules and roles that the changes concern, with the roles that follow from these. */
function touchedBy(
  diff: RuleSetDiff,
  unlisted: WantedRuleSet['unlisted'],
  { decisive, rows }: { decisive: readonly DraftedRow[]; rows: readonly DraftedRow[] },
) {
  const written = diff.rules.filter(({ existing, fields }) => existing === undefined || fields.length > 0);
  const gone = unlisted === 'keep' ? [] : diff.unlistedRules;
  const roleIds = [
    ...written.flatMap(({ wanted }) => rolesDecidedBy({ role_id: wanted.roleId, definition: wanted.body })),
    ...[...written.flatMap(({ existing }) => existing ?? []), ...gone].flatMap(rolesDecidedBy),
    ...decisive.flatMap(rolesDecidedBy),
  ];
  return {
    ruleIds: written.map(({ existing, index }) => existing?.id ?? `new-${index}`),
    roleIds: [...withFollowing(new Set(roleIds), rows)],
  };
}

/** These roles, and those that compositions make follow from them, directly or not. */
function withFollowing(roleIds: Set<string>, rows: readonly DraftedRow[]): Set<string> {
  const compositions = rows.flatMap(({ definition }) => compositionIn(definition) ?? []);
  // A set visits what is added to it on the way.
  for (const roleId of roleIds)
    for (const { roleId: following, condition } of compositions)
      if (Object.hasOwn(condition, roleId)) roleIds.add(following);
  return roleIds;
}

type Roles = Awaited<ReturnType<typeof rolesOf>>;
type DraftedRow = Pick<CommunityRuleRow, 'id' | 'role_id' | 'definition'>;

async function findRoleFaults(
  { hosts }: Pick<Context, 'hosts'>,
  { platform, community_id }: CommunityRow,
  rules: readonly { roleId: string }[],
): Promise<Pick<RuleSetPlan, 'roleFaults' | 'roleFaultsProblem'>> {
  const roleIds = [...new Set(rules.map(({ roleId }) => roleId))];
  try {
    const faults = (await hosts[platform]?.findFaults?.(community_id, roleIds)) ?? [];
    return { roleFaults: [...new Set(faults.map(({ advice }) => advice))].slice(0, 200) };
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    return { roleFaults: [], roleFaultsProblem: error.message };
  }
}

function readsOf(rules: OpenRules): number {
  return readableRules(rules).reduce((sum, rule) => {
    const namespaces = new Set(assetLeavesOf(rule).map(({ asset }) => walletNamespaceOf(asset.chain)));
    return (
      sum +
      costOf(
        rule,
        [...namespaces].map((namespace) => ({ namespace, address: `any ${namespace} wallet` })),
      )
    );
  }, 0);
}

interface Scope {
  taken: readonly string[];
  /** The roles that the changes concern. */
  roleIds: ReadonlySet<string>;
  roles: Roles;
  /** The brakes that would apply; undefined for those that there are. */
  brakes: WantedRuleSet['brakes'];
  passes: EndingPasses;
}

async function findEffects(
  ctx: Context,
  community: CommunityRow,
  rules: readonly DraftedRow[],
  scope: Scope,
): Promise<Pick<RuleSetPlan, 'effects' | 'effectsProblem'>> {
  const retired = await selectRetiredRoles(ctx.db.system, community.id);
  const retiredRoleIds = [...new Set([...retired, ...scope.taken])];
  try {
    const endedPassIds = scope.passes.passes.map(({ id }) => id);
    const draft = { rules, retiredRoleIds, endedPassIds };
    const { members, isWhole } = await reconcileByDraft(ctx, community, draft, mostMembers);
    return { effects: await sumUp(ctx, community, { members, isWhole }, scope) };
  } catch (error) {
    // What cannot be found out now does not hide the changes themselves.
    if (error instanceof AppError && ['STATE_CONFLICT', 'UNAVAILABLE'].includes(error.code))
      return { effectsProblem: error.message };
    throw error;
  }
}

type MemberEffect = RuleSetEffects['members'][number];

async function sumUp(
  ctx: Context,
  community: CommunityRow,
  { members, isWhole }: { members: readonly ReconciledMember[]; isWhole: boolean },
  { roleIds, roles, brakes, passes }: Scope,
): Promise<RuleSetEffects> {
  const changes = members.flatMap((member) => member.changes);
  const policy = brakes === undefined ? undefined : policyOf(ctx, community.id, brakes);
  const held = await ctx.db.transaction('system', (tx) => findHeldRoles(ctx, tx, community.id, changes, policy));
  const ends = await findPassEnds(ctx, community, members, passes);
  const found = members.flatMap(({ row, changes: own, verdicts }): MemberEffect[] => {
    const member = { userId: row.user_id, ...(row.user_name && { userName: row.user_name }) };
    return [
      ...(ends.taken.get(row.user_id) ?? []).map((roleId): MemberEffect => ({ ...member, roleId, outcome: 'loses' })),
      ...own.map(({ roleId, action }): MemberEffect => {
        return { ...member, roleId, outcome: action === 'grant' ? 'gains' : 'loses' };
      }),
      ...verdicts.flatMap(({ roleId, truth }): MemberEffect[] =>
        truth === 'unknown' ? [{ ...member, roleId, outcome: 'unknown' }] : [],
      ),
    ];
  });
  const byRole = [...Map.groupBy(found, ({ roleId }) => roleId)].map(([roleId, some]) => {
    const count = (outcome: MemberEffect['outcome']) => some.filter((one) => one.outcome === outcome).length;
    const roleName = roles?.get(roleId)?.name;
    return {
      roleId,
      ...(roleName !== undefined && { roleName }),
      gains: count('gains'),
      loses: count('loses'),
      unknown: count('unknown'),
      isHeld: held.has(roleId),
    };
  });
  const isConcerned = (roleId: string) => roleIds.has(roleId) || ends.roleIds.has(roleId);
  const order = ['loses', 'unknown', 'gains'];
  return {
    checked: members.length,
    isWhole,
    changed: byRole.filter(({ roleId }) => isConcerned(roleId)),
    outOfSync: byRole.filter(
      ({ roleId, gains, loses, unknown }) => !isConcerned(roleId) && gains + loses + unknown > 0,
    ),
    members: found.toSorted((a, b) => order.indexOf(a.outcome) - order.indexOf(b.outcome)).slice(0, mostNamed),
  };
}
