import { NoContent, op, type Page, pageOf, pageParams, T } from '@latchkey/kernel';
import {
  administersCommunity,
  communityReader,
  communityViewer,
  confirmedCommunityAdmin,
  tenantReading,
} from '../../communities/access/index.ts';
import { readPlatformRoles } from '../../communities/community/index.ts';
import { getCommunity } from '../../communities/community-records/index.ts';
import {
  listRules,
  maxRules,
  NewTokenPermissionedChat,
  type RuleVisibility,
  selectRules,
  TokenPermissionedChat,
  TokenPermissionedChatToBeReplaced,
  toRule,
} from '../../communities/rule-records/index.ts';
import type { PlatformRole } from '../../ports/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { createRule, refuseBadReplacement, refuseBadRule, replaceRule } from './change-rules.ts';
import { removeRule } from './delete-rule.ts';

const ruleParam = T.String({ description: 'The id of the rule: its sk.', minLength: 1, maxLength: 700 });

// These two lists have no page parameters, so the first page must contain everything.
const wholeList = T.Unsafe<Page<TokenPermissionedChat>>(
  T.Object(
    {
      items: T.Array(TokenPermissionedChat, { description: 'The rules, the oldest first.', maxItems: maxRules }),
      paginationToken: T.Optional(T.String({ description: 'Always absent.', maxLength: 1024 })),
    },
    { 'x-name': 'TokenPermissionedChatList', description: 'All rules at once.' },
  ),
);

export const ruleOperations = [
  op(
    'GET /communities/{id}/tgr',
    {
      id: 'getGuildTgrInfo',
      sdk: 'CommunityController.getGuildTgrInfo',
      summary: 'List a community’s rules for an app',
      description:
        'Returns every rule of a community, with the name and colour of its role if the platform provides them. For community admins, client applications created by one of them, and apps owned by the operator.',
      access: communityReader('id', 'discord:guild'),
      params: { id: communityParam },
      returns: wholeList,
      paginated: 'token',
    },
    findRulesWithRoles,
  ),
  op(
    'GET /communities/{id}/tgrs',
    {
      id: 'getCommunityTgrs',
      sdk: 'CommunityController.getCommunityTgRs',
      summary: 'List a community’s rules for a member',
      description:
        'Returns every rule of a community, with the name and colour of its role if the platform provides them, so members can see how to get roles. Members do not see hidden rules, or the requirements of secret rules and conditions. For members and admins, and for client applications that list the community with `GET /communities`.',
      access: communityViewer('id', 'community:read'),
      params: { id: communityParam },
      returns: wholeList,
      paginated: 'token',
    },
    findRulesForViewer,
  ),
  op(
    'POST /communities/{id}/tpcs',
    {
      id: 'createTpc',
      sdk: 'CommunityController.createTpc',
      summary: 'Create a rule',
      description: `Creates a rule that gives a role to members who meet its conditions. The whole rule is validated before it is saved. Roles that the bot cannot give are rejected with the reason: roles that are missing, managed by an integration, @everyone or above the bot, and roles with moderation permissions, such as Ban Members. Rules that can never be decided on this server are rejected too, with the reason and the setting that would change it: no node for the chain, no contract at the address, a different standard, or a wrong EIP-55 checksum. Latchkey re-checks members shortly after, in the background. If the community already has a rule with the same conditions and role, the response has a warning that names it. A community can have ${maxRules} rules.`,
      audit: 'rule.create',
      access: confirmedCommunityAdmin('id', 'community:write'),
      params: { id: communityParam },
      body: NewTokenPermissionedChat,
      returns: TokenPermissionedChat,
      errors: ['PLAN_LIMIT_REACHED', 'STATE_CONFLICT'],
      before: refuseBadRule,
      repeatable: true,
    },
    createRule,
  ),
  op(
    'GET /communities/{id}/tpcs',
    {
      id: 'findTpcs',
      sdk: 'CommunityController.findTpcs',
      summary: 'List the rules of a community',
      description:
        'Returns a community’s rules, oldest first, in pages. For its admins, and for client applications that list it with `GET /communities`.',
      access: communityReader('id', 'community:read'),
      params: { id: communityParam, ...pageParams },
      returns: pageOf(TokenPermissionedChat, 'TokenPermissionedChatPage'),
      paginated: 'token',
    },
    findRules,
  ),
  op(
    'PUT /communities/{id}/tpcs/{tpcId}',
    {
      id: 'replaceTpc',
      sdk: 'CommunityController.replaceTpc',
      summary: 'Replace a rule',
      description:
        'Replaces a rule and keeps its id. Latchkey re-checks members shortly after, for both the old and the new role. Roles that the bot cannot give, roles with moderation permissions, and rules that can never be decided on this server are rejected.',
      audit: 'rule.change',
      access: confirmedCommunityAdmin('id', 'community:write'),
      params: { id: communityParam, tpcId: ruleParam },
      body: TokenPermissionedChatToBeReplaced,
      readAt: '/latchkey/communities/{id}/rules/{tpcId}',
      returns: NoContent,
      errors: ['STATE_CONFLICT'],
      before: refuseBadReplacement,
    },
    replaceRule,
  ),
  op(
    'DELETE /communities/{id}/tpcs/{tpcId}',
    {
      id: 'deleteTpc',
      sdk: 'CommunityController.deleteTpc',
      summary: 'Remove a rule',
      description:
        'Removes a rule. If other rules give the same role, Latchkey re-checks members against them shortly after, and large removals are held until an admin approves them. If it was the last rule for its role, members keep the role. To take it from the members who got it from Latchkey, use `DELETE /latchkey/communities/{communityId}/rules/{ruleId}`.',
      audit: 'rule.delete',
      access: confirmedCommunityAdmin('id', 'community:write'),
      params: { id: communityParam, tpcId: ruleParam },
      readAt: '/latchkey/communities/{id}/rules/{tpcId}',
      returns: NoContent,
      errors: ['STATE_CONFLICT'],
    },
    removeRule,
  ),
] as const;

type Named = { id: string };

/** Returns the rules of a community, page by page. */
export async function findRules(
  ctx: Pick<Context, 'actor' | 'clock' | 'db' | 'keyring' | 'random'>,
  { id, ...request }: Named & PageRequest,
): Promise<Page<TokenPermissionedChat>> {
  return ctx.db.transaction(await tenantReading(ctx, id), async (tx) => {
    const community = await getCommunity(tx, id);
    const page = await paginate(ctx, request, {
      list: `community-rules:${community.id}`,
      read: (after, limit) => listRules(tx, community.id, after, limit),
      cursorOf: (row) => [row.created_at.toISOString(), row.id],
    });
    return { ...page, items: page.items.map((row) => toRule(row)) };
  });
}

/** The same for every caller who may see the community: members see of each rule what its admins allow. */
export async function findRulesForViewer(ctx: Context, { id }: Named): Promise<Page<TokenPermissionedChat>> {
  const sees = ctx.actor.kind === 'client' || (await administersCommunity(ctx, id));
  const { items } = await findRulesWithRoles(ctx, { id });
  if (sees) return { items };
  const rows = await ctx.tx(async (tx) => selectRules(tx, (await getCommunity(tx, id)).id));
  const visibilities = new Map(rows.map((row) => [row.id, row.visibility]));
  return { items: items.flatMap((rule) => showToMember(rule, visibilities.get(rule.id ?? '') ?? 'hidden') ?? []) };
}

/** Returns every rule of a community, with the name and colour of its role if the platform responds in time. */
export async function findRulesWithRoles(
  ctx: Pick<Context, 'actor' | 'db' | 'hosts' | 'log'>,
  { id }: Named,
): Promise<Page<TokenPermissionedChat>> {
  const { community, rows } = await ctx.db.transaction(await tenantReading(ctx, id), async (tx) => {
    const found = await getCommunity(tx, id);
    return { community: found, rows: await selectRules(tx, found.id) };
  });
  const roles = rows.length === 0 ? new Map<string, PlatformRole>() : await readPlatformRoles(ctx, community);
  return { items: rows.map((row) => toRule(row, roles.get(row.role_id))) };
}

/**
 * Returns a rule as members may see it; undefined for a hidden one. Of a secret rule they see that it exists and which
 * role it grants; of a secret condition in a tree, that there is one. The rule id contains the contract, so it is
 * replaced too.
 */
function showToMember(rule: TokenPermissionedChat, visibility: RuleVisibility): TokenPermissionedChat | undefined {
  if (visibility === 'hidden') return undefined;
  if (visibility === 'public') return { ...rule, ...(rule.variables && { variables: withoutSecrets(rule.variables) }) };
  const { pk, classifier, classifierGroup, createdTime, roleId, roleName, roleColor, platform } = rule;
  return { pk, classifier, classifierGroup, createdTime, roleId, roleName, roleColor, platform };
}

function withoutSecrets(variables: Record<string, unknown>): Record<string, unknown> {
  return 'rule' in variables ? { ...variables, rule: visibleTree(variables.rule) } : variables;
}

function visibleTree(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(visibleTree);
  if (typeof node !== 'object' || node === null) return node;
  if ('visibility' in node && node.visibility !== 'public') return { visibility: 'secret' };
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visibleTree(value)]));
}
