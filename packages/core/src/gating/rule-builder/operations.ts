import { AppError, listOf, notFound, op, type Page, pageOf, pageParams, record, T, text } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { countHolders, selectMembers } from '../../communities/memberships/index.ts';
import {
  type CommunityRuleRow,
  type GivenRule,
  type RuleVisibility,
  selectRule,
} from '../../communities/rule-records/index.ts';
import { PlatformFailed, type Refusal } from '../../ports/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { notConfigured } from '../../shared/platform-setup.ts';
import {
  describeIdentical,
  insertNewRule,
  listRuleChanges,
  type RuleState,
  refuseBadReplacement,
  refuseBadRule,
  rewriteRule,
} from '../community-rules/index.ts';
import { describeDraft } from './describe-draft.ts';
import { findTokens } from './find-tokens.ts';
import { getCommunityRule, listCommunityRules } from './list-rules.ts';
import { previewDraft } from './preview-draft.ts';
import {
  ChangedRule,
  DraftDescription,
  DraftPreview,
  DraftTrial,
  draft,
  NewRule,
  RuleChange,
  RuleDetails,
  RuleRole,
  RuleSummary,
  SavedRule,
  TokenPicture,
  TokenSearch,
} from './shapes.ts';
import { getTokenPicture } from './token-picture.ts';
import { tryDraft } from './try-draft.ts';
import { rolesOf, sentencesFor } from './words.ts';

const reads = communityAdmin('communityId', 'community:read');
const writes = confirmedCommunityAdmin('communityId', 'community:write');
const checks = confirmedCommunityAdmin('communityId', 'role-manager');

const ruleId = text('The id of the rule.', { minLength: 1, maxLength: 700 });

export const ruleBuilderOperations = [
  op(
    'GET /latchkey/communities/{communityId}/rules',
    {
      id: 'listCommunityRules',
      summary: 'List rules with their status',
      description:
        'Returns the rules of a community, oldest first: each as a sentence, with its role, how many members have it, its health with how many members meet it, and what is wrong, for example a role that was deleted on the platform. For community admins.',
      access: reads,
      params: {
        communityId: communityParam,
        search: T.Optional(text('Only rules with this text in their name, role or sentence.', { maxLength: 200 })),
        ...pageParams,
      },
      returns: pageOf(RuleSummary, 'RuleSummaryPage'),
      paginated: 'token',
    },
    listCommunityRules,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rules',
    {
      id: 'createCommunityRule',
      summary: 'Create a rule with a visibility',
      description:
        'Creates a rule, with the same validation as `POST /communities/{id}/tpcs`. The resulting role changes become a change set; large removals need approval. Fails with STATE_CONFLICT if the community already has a rule with the same conditions and role, and names it. For community admins.',
      audit: 'rule.create',
      access: writes,
      params: { communityId: communityParam },
      body: NewRule,
      returns: SavedRule,
      errors: ['STATE_CONFLICT', 'PLAN_LIMIT_REACHED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
      before: refuseNew,
      repeatable: true,
    },
    createCommunityRule,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rules/{ruleId}',
    {
      id: 'getCommunityRule',
      summary: 'Get a rule with its status',
      description: 'Returns a saved rule, the rule as a sentence, and the status of its role. For community admins.',
      access: reads,
      params: { communityId: communityParam, ruleId },
      returns: RuleDetails,
    },
    getCommunityRule,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/rules/{ruleId}',
    {
      id: 'changeCommunityRule',
      summary: 'Change a rule',
      description:
        'Replaces a rule and keeps its id, for example to choose another role after its role was deleted. The resulting role changes become a change set; large removals need approval. With updatedTime, fails with STATE_CONFLICT if someone else changed the rule in the meantime. For community admins.',
      audit: 'rule.change',
      access: writes,
      params: { communityId: communityParam, ruleId },
      body: ChangedRule,
      returns: SavedRule,
      errors: ['STATE_CONFLICT', 'PLAN_LIMIT_REACHED', 'UNAVAILABLE', 'VALIDATION_FAILED'],
      before: refuseChange,
    },
    changeCommunityRule,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rules/{ruleId}/history',
    {
      id: 'listRuleHistory',
      summary: 'List a rule’s changes',
      description:
        'Returns every change to a rule, newest first: who made it and when, and the rule before and after. Removed rules keep their history. For community admins.',
      access: reads,
      params: { communityId: communityParam, ruleId, ...pageParams },
      returns: pageOf(RuleChange, 'RuleChangePage'),
      paginated: 'token',
    },
    listRuleHistory,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rule-roles',
    {
      id: 'listRuleRoles',
      summary: 'List roles that rules can give',
      description:
        'Returns the community’s current roles on its platform, with the reason why rules cannot give some of them. For community admins.',
      access: reads,
      params: { communityId: communityParam },
      returns: listOf(RuleRole),
      errors: ['STATE_CONFLICT', 'UNAVAILABLE'],
    },
    listRuleRoles,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rule-drafts/describe',
    {
      id: 'describeRuleDraft',
      summary: 'Describe a rule before saving it',
      description:
        'Returns a draft rule as one sentence, the number of reads per check, and everything that prevents it from being saved. Saves nothing. For community admins.',
      access: reads,
      params: { communityId: communityParam },
      body: record('DraftToDescribe', 'A draft rule.', {
        rule: draft,
        ruleId: T.Optional(text('The rule that the draft changes.', { minLength: 1, maxLength: 700 })),
      }),
      returns: DraftDescription,
      errors: ['VALIDATION_FAILED'],
    },
    describeDraft,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rule-drafts/try',
    {
      id: 'tryRuleDraft',
      summary: 'Try a rule on a wallet',
      description:
        'Evaluates a draft rule for a wallet address or a member, and returns the result with the reason for each condition. Reads chains while you wait; saves and changes nothing. Amounts are shown for an address only. For community admins.',
      access: checks,
      params: { communityId: communityParam },
      body: record('DraftToTry', 'A draft rule, and who to try it on.', {
        rule: draft,
        account: T.Optional(text('A wallet address, a name such as alice.eth, or evm:1:0x….', { maxLength: 200 })),
        userId: T.Optional(
          text('A member, by the qualified id or the platform’s own one, instead of an account.', {
            minLength: 1,
            maxLength: 128,
          }),
        ),
      }),
      returns: DraftTrial,
      errors: ['UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    tryDraft,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rule-drafts/preview',
    {
      id: 'previewRuleDraft',
      summary: 'Preview a rule before saving it',
      description:
        'Checks a community’s members as if a draft rule were saved, and returns who would gain the role, who would lose it and who could not be checked. With ruleId, the draft takes the place of that rule; without rule, it shows what removing that rule would do. Reads wallets and the platform while you wait; nothing is saved or changed. For community admins.',
      access: checks,
      params: { communityId: communityParam },
      body: record('DraftToPreview', 'A draft rule.', {
        rule: T.Optional(draft),
        ruleId: T.Optional(text('The rule that the draft changes.', { minLength: 1, maxLength: 700 })),
      }),
      returns: DraftPreview,
      errors: ['STATE_CONFLICT', 'UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    previewDraft,
  ),
  op(
    'GET /latchkey/communities/{communityId}/tokens',
    {
      id: 'findTokens',
      summary: 'Find tokens',
      description:
        'Finds tokens by contract address, by a link to a marketplace or block explorer, or by name or symbol, with how many members hold each. An address is looked up on every EVM chain that this server reads; names come from those chains and from a bundled index of well-known tokens. For community admins.',
      access: reads,
      params: {
        communityId: communityParam,
        search: text('An address, a link or a name.', { minLength: 1, maxLength: 1000 }),
        chainId: T.Optional(
          T.Number({ description: 'Only this EVM chain.', minimum: 1, maximum: 999_999_999_999_999, multipleOf: 1 }),
        ),
        type: T.Optional(
          text(
            'The type of the condition: one that starts with SOLANA finds tokens of Solana only, another one those of EVM chains.',
            {
              maxLength: 40,
            },
          ),
        ),
      },
      returns: TokenSearch,
    },
    findTokens,
  ),
  op(
    'GET /latchkey/communities/{communityId}/token-picture',
    {
      id: 'getTokenPicture',
      summary: 'Get a collection’s picture',
      description:
        'Returns the picture of the first token of a collection as a data: URL, so that browsers load nothing from other hosts. For community admins.',
      access: reads,
      params: {
        communityId: communityParam,
        chainId: T.Number({
          description: 'The EVM chain.',
          minimum: 1,
          maximum: 999_999_999_999_999,
          multipleOf: 1,
        }),
        contractAddress: text('The contract of the collection.', { maxLength: 42, pattern: '^0x[0-9a-fA-F]{40}$' }),
      },
      returns: TokenPicture,
    },
    getTokenPicture,
  ),
] as const;

/** Returns the community's current roles on the platform, and why rules cannot grant some of them. */
export async function listRuleRoles(ctx: Context, { communityId }: { communityId: string }): Promise<RuleRole[]> {
  const community = await ownCommunity(ctx, communityId);
  const host = ctx.hosts[community.platform];
  if (host === undefined) throw notConfigured(community.platform);
  try {
    const roles = await host.readRoles(community.community_id);
    const ids = roles.map(({ id }) => id);
    const faults: readonly Refusal[] = (await host.findFaults?.(community.community_id, ids)) ?? [];
    const holders = await countHolders(ctx.db.system, community.id, ids);
    return roles.map(({ id, name, color }) => ({
      id,
      name,
      color,
      holders: holders.get(id) ?? 0,
      fault: faults.find(({ roleId }) => roleId === id)?.advice,
    }));
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    if (error.kind !== 'unavailable') throw new AppError('STATE_CONFLICT', error.message, { cause: error });
    throw new AppError('UNAVAILABLE', 'The chat platform is not responding. Try again shortly.', {
      retryAfterSeconds: error.retryAfterSeconds ?? 5,
      cause: error,
    });
  }
}

interface Created {
  communityId: string;
  body: { rule: GivenRule; visibility?: RuleVisibility | undefined };
}
interface Changed {
  communityId: string;
  ruleId: string;
  body: Created['body'] & { updatedTime?: string | undefined };
}
type SaveContext = Pick<Context, 'actor' | 'clock' | 'random' | 'tx'>;

export function refuseNew(ctx: Context, { communityId, body }: Created): Promise<void> {
  return refuseBadRule(ctx, { id: communityId, body: body.rule });
}

/**
 * Creates a rule. The role changes become a change set of the next check, which is held if it removes the role from
 * many members.
 */
export async function createCommunityRule(ctx: SaveContext, { communityId, body }: Created): Promise<SavedRule> {
  const { rule, visibility } = body;
  return toSaved(await insertNewRule(ctx, { id: communityId, body: rule, visibility, onIdentical: refuseIdentical }));
}

function refuseIdentical(existing: CommunityRuleRow): never {
  throw new AppError('STATE_CONFLICT', describeIdentical(existing));
}

export function refuseChange(ctx: Context, { communityId, ruleId, body }: Changed): Promise<void> {
  return refuseBadReplacement(ctx, { id: communityId, tpcId: ruleId, body: body.rule });
}

/** Replaces a rule, unless it was changed since the caller read it. */
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

/** Returns every change to a rule, newest first. A removed rule has a history too. */
export async function listRuleHistory(
  ctx: Context,
  { communityId, ruleId, ...request }: { communityId: string; ruleId: string } & PageRequest,
): Promise<Page<RuleChange>> {
  const community = await ownCommunity(ctx, communityId);
  const page = await paginate(ctx, request, {
    list: `rule-history:${community.id}:${ruleId}`,
    read: (after, limit) => listRuleChanges(ctx.db.system, community.id, ruleId, after?.[0], limit),
    cursorOf: ({ id }) => [String(id)],
  });
  if (page.items.length === 0 && (await selectRule(ctx.db.system, community.id, ruleId)) === undefined)
    throw notFound('rule');
  const states = page.items.flatMap(({ before, after }) => [before, after]).filter((state) => state !== null);
  const sentenceOf = await sentencesFor(ctx, states.map(toKept), await rolesOf(ctx, community));
  const people = await selectMembers(ctx.db.system, community.id, [
    ...new Set(page.items.map((row) => row.changed_by)),
  ]);
  const names = new Map(people.map(({ user_id, user_name }) => [user_id, user_name]));
  const show = (state: RuleState) => ({
    sentence: sentenceOf(toKept(state)).sentence,
    visibility: state.visibility,
    rule: { ...state.definition, roleId: state.roleId },
  });
  return {
    ...page,
    items: page.items.map((row) => ({
      id: String(row.id),
      action: row.action,
      changedBy: row.changed_by,
      changedByName: names.get(row.changed_by) ?? undefined,
      changedTime: row.changed_at.toISOString(),
      ...(row.before !== null && { before: show(row.before) }),
      ...(row.after !== null && { after: show(row.after) }),
    })),
  };
}

function toKept({ roleId, definition }: RuleState) {
  return { role_id: roleId, definition };
}
