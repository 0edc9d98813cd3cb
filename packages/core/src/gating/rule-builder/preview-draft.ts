import { notFound } from '@latchkey/kernel';
import { ownCommunity } from '../../communities/access/index.ts';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { selectRules } from '../../communities/rule-records/index.ts';
import type { Context } from '../../shared/context.ts';
import { type DraftedRule, findHeldRoles, type RoleChange, reconcileByDraft } from '../role-changes/index.ts';
import { compositionOf, readRule } from '../rules/index.ts';
import type { DraftPreview } from './shapes.ts';
import { rolesOf } from './words.ts';

interface Preview {
  communityId: string;
  body: { rule?: Record<string, unknown> | undefined; ruleId?: string | undefined };
}

const mostMembers = 10_000;
const mostNamed = 100;

/**
 * Returns who would gain and lose the role if a draft were saved in place of the rule it changes, or if that rule were
 * removed. Members are checked while the admin waits, and nothing is changed.
 */
export async function previewDraft(ctx: Context, { communityId, body }: Preview): Promise<DraftPreview> {
  const community = await ownCommunity(ctx, communityId);
  const { rules, roleIds } = await draftRules(ctx, community, body);
  const { members, isWhole } = await reconcileByDraft(ctx, community, { rules }, mostMembers);
  const roles = await rolesOf(ctx, community);
  const found = members.flatMap(({ row, roleIds: held, verdicts }) =>
    verdicts.flatMap(({ roleId, truth }): Found[] => {
      if (!roleIds.has(roleId)) return [];
      const has = held.includes(roleId);
      // The platform does not let bots remove roles from protected members.
      const keeps = has && (truth === 'true' || (truth === 'false' && row.is_protected === true));
      const outcome =
        truth === 'unknown' ? 'unknown' : keeps ? 'keeps' : has ? 'loses' : truth === 'true' ? 'gains' : 'none';
      return [{ userId: row.user_id, userName: row.user_name ?? undefined, roleId, outcome }];
    }),
  );
  const of = (outcome: Found['outcome']) => found.filter((one) => one.outcome === outcome);
  const people = (['loses', 'unknown', 'gains'] as const).flatMap((outcome) =>
    of(outcome)
      .slice(0, mostNamed)
      .map((one) => ({
        ...one,
        outcome,
        roleName: roles?.get(one.roleId)?.name,
        roleColor: roles?.get(one.roleId)?.color,
      })),
  );
  return {
    checked: members.length,
    isWhole,
    gains: of('gains').length,
    loses: of('loses').length,
    unknown: of('unknown').length,
    keeps: of('keeps').length,
    isHeld: await wouldBeHeld(ctx, community, of('loses')),
    people,
  };
}

interface Found {
  userId: string;
  userName: string | undefined;
  roleId: string;
  outcome: 'gains' | 'loses' | 'unknown' | 'keeps' | 'none';
}

/** The rules as they would be, and the roles that the change affects. */
async function draftRules(
  ctx: Context,
  community: CommunityRow,
  { rule, ruleId }: Preview['body'],
): Promise<{ rules: DraftedRule[]; roleIds: ReadonlySet<string> }> {
  const saved = await selectRules(ctx.db.system, community.id);
  const before = saved.find(({ id }) => id === ruleId);
  if (ruleId !== undefined && before === undefined) throw notFound('rule');
  const drafted = rule === undefined ? [] : [toDrafted(rule, before?.id ?? 'draft')];
  const others = saved.filter((row) => row !== before);
  const queued = [before?.role_id, ...drafted.flatMap(rolesDecidedBy)].filter((id) => id !== undefined);
  return { rules: [...others, ...drafted], roleIds: new Set(queued) };
}

function toDrafted(definition: Record<string, unknown>, id: string): DraftedRule {
  const read = readRule(definition, '/rule');
  const composition = compositionOf(read);
  const role_id = typeof definition.roleId === 'string' ? definition.roleId : (composition?.roleId ?? read.roleId);
  return { id, role_id, definition };
}

function rolesDecidedBy({ role_id, definition }: DraftedRule): string[] {
  const composition = compositionOf(readRule(definition));
  return composition === undefined ? [role_id] : [role_id, composition.roleId];
}

async function wouldBeHeld(ctx: Context, community: CommunityRow, losing: readonly Found[]): Promise<boolean> {
  const changes = losing.map(({ userId, roleId }): RoleChange => {
    return { userId, roleId, action: 'revoke', reason: {}, blocks: {} };
  });
  const held = await ctx.db.transaction('system', (tx) => findHeldRoles(ctx, tx, community.id, changes));
  return held.size > 0;
}
