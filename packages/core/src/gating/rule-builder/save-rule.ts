import {
  type CommunityRuleRow,
  type GivenRule,
  insertNewRule,
  type RuleVisibility,
  refuseBadReplacement,
  refuseBadRule,
  rewriteRule,
} from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import type { SavedRule } from './shapes.ts';

interface Created {
  communityId: string;
  body: { rule: GivenRule; visibility?: RuleVisibility | undefined };
}
interface Changed {
  communityId: string;
  ruleId: string;
  body: Created['body'] & { updatedTime?: string | undefined };
}
type SaveContext = Pick<Context, 'actor' | 'clock' | 'tx'>;

export function refuseNew(ctx: Context, { communityId, body }: Created): Promise<void> {
  return refuseBadRule(ctx, { id: communityId, body: body.rule });
}

/**
 * Creates a rule. What it changes becomes a plan of the next check, which is held if it takes the role from many members.
 */
export async function createCommunityRule(ctx: SaveContext, { communityId, body }: Created): Promise<SavedRule> {
  const { rule, visibility } = body;
  return toSaved(await insertNewRule(ctx, { id: communityId, body: rule, visibility }));
}

export function refuseChange(ctx: Context, { communityId, ruleId, body }: Changed): Promise<void> {
  return refuseBadReplacement(ctx, { id: communityId, tpcId: ruleId, body: body.rule });
}

/** Writes a rule anew, unless somebody else did since it was read. */
export async function changeCommunityRule(
  ctx: SaveContext,
  { communityId, ruleId, body }: Changed,
): Promise<SavedRule> {
  const { rule, visibility, updatedTime } = body;
  return toSaved(await rewriteRule(ctx, { id: communityId, tpcId: ruleId, body: rule, visibility, updatedTime }));
}

function toSaved({ id, updated_at }: CommunityRuleRow): SavedRule {
  return { id, updatedTime: updated_at.toISOString() };
}
