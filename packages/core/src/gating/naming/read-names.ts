import {
  type CommunityRow,
  type CommunityRuleRow,
  nativeUserId,
  selectRules,
} from '../../communities/communities/index.ts';
import { selectMembers } from '../../communities/members/index.ts';
import type { Context } from '../../context.ts';
import { isErased } from '../../machinery/erasures/index.ts';
import { PlatformFailed, type PlatformRole } from '../../ports/index.ts';
import { findTokenNames, type TokenPlace } from '../evm/index.ts';
import { assetsOf, openRules, type ReasonNames } from '../judging/index.ts';
import { plainName } from './plain-name.ts';
import { tokenInWords } from './token-in-words.ts';

/** What roles, rules, tokens and members of a community are called. */
export interface Names extends ReasonNames {
  member(userId: string): string;
}

type NameContext = Pick<Context, 'clock' | 'db' | 'hosts' | 'log' | 'tokenMetadata'>;

/**
 * Reads the names that sentences about these members and roles need. What has no name, or whose name cannot be read just
 * now, is called by its id. `asks` lets contracts be asked for their symbol, which takes longer than a chat waits.
 */
export async function readNames(
  ctx: NameContext,
  community: CommunityRow,
  userIds: readonly string[],
  { asks = false }: { asks?: boolean } = {},
): Promise<Names> {
  const [roles, rules, members] = await Promise.all([
    readRoles(ctx, community),
    selectRules(ctx.db.system, community.id),
    selectMembers(ctx.db.system, community.id, [...new Set(userIds)]),
  ]);
  const memberNames = new Map(members.map(({ user_id, user_name }) => [user_id, user_name]));
  return {
    ...(await nameReasons(ctx, { roles, rules, asks })),
    member: (userId) => plainName(memberNames.get(userId) ?? '') || memberId(community, userId),
  };
}

/** What sentences about reasons call roles, rules and tokens. */
export async function nameReasons(
  ctx: Pick<Context, 'clock' | 'db' | 'tokenMetadata'>,
  {
    roles,
    rules,
    asks = false,
  }: { roles: ReadonlyMap<string, { name: string }>; rules: readonly CommunityRuleRow[]; asks?: boolean },
): Promise<ReasonNames> {
  const ruleNames = new Map(rules.map(({ id, definition }) => [id, nameIn(definition)]));
  const visibilities = new Map(rules.map(({ id, visibility }) => [id, visibility]));
  const token = await readTokenNames(ctx, assetsOf(openRules(rules)), { asks });
  return {
    role: (roleId) => plainName(roles.get(roleId)?.name ?? '') || `role ${roleId}`,
    rule: (ruleId) => plainName(ruleNames.get(ruleId) ?? '') || undefined,
    visibility: (ruleId) => visibilities.get(ruleId) ?? 'public',
    token,
  };
}

/**
 * What the tokens of some rules are called, by the text that names the asset: `CAT on Ethereum`. `read` knows more names,
 * of tokens that no saved rule names.
 */
export async function readTokenNames(
  ctx: Pick<Context, 'clock' | 'db' | 'tokenMetadata'>,
  assets: ReturnType<typeof assetsOf>,
  { asks, read }: { asks: boolean; read?: (token: TokenPlace) => string | undefined },
): Promise<(asset: string) => string> {
  const places = assets.map(({ chain, reference }) => ({ chain, contract: reference }));
  const symbolOf = await findTokenNames(ctx, places, { asks });
  return (asset) => tokenInWords(asset, (place) => symbolOf(place) ?? read?.(place));
}

async function readRoles(ctx: NameContext, community: CommunityRow): Promise<ReadonlyMap<string, PlatformRole>> {
  try {
    const roles: readonly PlatformRole[] =
      (await ctx.hosts[community.platform]?.readRoles(community.community_id)) ?? [];
    return new Map(roles.map((role) => [role.id, role]));
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    ctx.log.warn('The names of roles cannot be read; they are called by their ids.', {
      communityId: community.id,
      reason: error.message,
    });
    return new Map();
  }
}

function nameIn({ name }: Record<string, unknown>): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

function memberId({ platform }: CommunityRow, userId: string): string {
  if (isErased(userId)) return 'a deleted account';
  return nativeUserId(platform, userId) ?? (userId.startsWith('$') ? 'the operator' : userId);
}
