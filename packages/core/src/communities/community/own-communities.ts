import type { Tx } from '@latchkey/db';
import { AppError, maxPageSize, type Page } from '@latchkey/kernel';
import { LRUCache } from 'lru-cache';
import { PlatformFailed, type PlatformRole, type Refusal, type RoleFault, type RoleHost } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { administeredBy } from '../access/index.ts';
import {
  type CommunityRow,
  listCommunities,
  selectCommunitiesOfMember,
  selectCommunity,
} from '../community-records/index.ts';
import { selectRules } from '../rule-records/index.ts';
import type { AdministeredCommunity, Community } from './community.ts';
import { describe, type ReadContext } from './reads.ts';

/** The time limit for reading the role names of all communities together. */
const rolesTimeoutMs = 5_000;
const requestsAtOnce = 8;

/** The communities that a user is an admin of, with their rules, and their roles if the platform responds in time. */
export async function pageOfAdmin(
  ctx: ReadContext & Pick<Context, 'hosts' | 'log'>,
  userId: string,
  request: PageRequest,
): Promise<Page<AdministeredCommunity>> {
  const page = await readPage(ctx, request, {
    list: 'administered-communities',
    read: (tx, after, limit) => listCommunities(tx, { filter: administeredBy(userId), after, limit }),
    parts: ['tpcs'],
  });
  const signal = AbortSignal.timeout(rolesTimeoutMs);
  return {
    ...page,
    items: await inParallel(page.items, requestsAtOnce, (community) => withRoles(ctx, community, signal)),
  };
}

/** The communities that a user is a member of. */
export function pageOfMember(ctx: ReadContext, userId: string, request: PageRequest): Promise<Page<Community>> {
  return readPage(ctx, request, {
    list: 'joined-communities',
    read: (tx, after, limit) => selectCommunitiesOfMember(tx, userId, limit, { after }),
    parts: [],
  });
}

// Clients of the published API do not page here, so without a limit a response holds as many as it can.
function readPage(
  ctx: ReadContext,
  { limit = maxPageSize, paginationToken }: PageRequest,
  source: {
    list: string;
    read: (tx: Tx, after: string | undefined, limit: number) => Promise<CommunityRow[]>;
    parts: readonly string[];
  },
): Promise<Page<Community>> {
  return ctx.tx(async (tx) => {
    const page = await paginate(
      ctx,
      { limit, paginationToken },
      {
        list: source.list,
        read: (after, most) => source.read(tx, after?.[0], most),
        cursorOf: ({ id }) => [id],
      },
    );
    return { ...page, items: await describe(ctx, tx, page.items, source.parts) };
  });
}

async function withRoles(
  ctx: Pick<Context, 'hosts' | 'log'>,
  community: Community,
  signal: AbortSignal,
): Promise<AdministeredCommunity> {
  const { platform, communityId = '', tpcs = [] } = community;
  const roles = platform && (await findPlatformRoles(ctx, { platform, community_id: communityId }, signal));
  if (roles === undefined) return community;
  return {
    ...community,
    roles: [...roles.values()].map(({ id, name, color }) => ({ id, name, color })),
    tpcs: tpcs.map((rule) => ({ ...rule, ...namedBy(roles.get(rule.roleId ?? '')) })),
  };
}

function namedBy(role: PlatformRole | undefined): { roleName?: string; roleColor?: number | undefined } {
  return role === undefined ? {} : { roleName: role.name, roleColor: role.color };
}

const timeoutMs = 3_000;

type RoleContext = Pick<Context, 'hosts' | 'log'>;
type Place = Pick<CommunityRow, 'platform' | 'community_id'>;

/**
 * The roles of a community by id; empty if the platform does not respond in time, since names are not worth a failure.
 */
export async function readPlatformRoles(ctx: RoleContext, place: Place): Promise<Map<string, PlatformRole>> {
  return (await findPlatformRoles(ctx, place, AbortSignal.timeout(timeoutMs))) ?? new Map();
}

const recentMs = 30_000;
const recent = new WeakMap<RoleHost, LRUCache<string, Promise<Map<string, PlatformRole> | undefined>>>();

/** The same as up to 30 seconds ago, for pages that ask again and again: a platform allows few calls. */
export async function readRecentRoles(ctx: RoleContext, place: Place): Promise<Map<string, PlatformRole>> {
  const host = ctx.hosts[place.platform];
  if (host === undefined) return new Map();
  const cache = recent.get(host) ?? new LRUCache({ max: 1_000, ttl: recentMs });
  recent.set(host, cache);
  const known = cache.get(place.community_id);
  const request = known ?? findPlatformRoles(ctx, place, AbortSignal.timeout(timeoutMs));
  if (known === undefined) cache.set(place.community_id, request);
  const roles = await request;
  if (roles === undefined && cache.peek(place.community_id) === request) cache.delete(place.community_id);
  return roles ?? new Map();
}

/** The roles now, and undefined where the platform does not tell. */
export async function findPlatformRoles(
  ctx: RoleContext,
  { platform, community_id }: Place,
  signal: AbortSignal,
): Promise<Map<string, PlatformRole> | undefined> {
  try {
    const roles = await ctx.hosts[platform]?.readRoles(community_id, signal);
    return roles && new Map(roles.map((role) => [role.id, role]));
  } catch (error) {
    if (!(error instanceof PlatformFailed) && !(error instanceof DOMException)) throw error;
    ctx.log.warn('Failed to read the roles of a community.', { platform, reason: error.message });
    return undefined;
  }
}

/** The codes of these faults in error details. */
const detailCodes: Partial<Record<RoleFault, string>> = {
  missing: 'missing-role',
  managed: 'managed-role',
  everyone: 'everyone-role',
  'above-bot': 'role-above-bot',
  ruling: 'ruling-role',
};

/**
 * What prevents the roles of the community's rules from being written, according to the platform. Throws
 * `PlatformFailed`.
 */
export async function findRuleFaults(
  ctx: Pick<Context, 'db'>,
  host: RoleHost,
  community: CommunityRow,
): Promise<readonly Refusal[]> {
  const rules = await selectRules(ctx.db.system, community.id);
  const roleIds = [...new Set(rules.map(({ role_id }) => role_id))];
  return (await host.findFaults?.(community.community_id, roleIds)) ?? [];
}

/**
 * Refuses a role that the bot cannot grant on the platform, and one with moderation permissions there: such a role must
 * be granted by a person, never because of holdings. If the platform does not respond, nothing is refused, since the
 * role is checked again before any member gets it.
 */
export async function refuseBadRoles(
  ctx: Pick<Context, 'db' | 'hosts'>,
  id: string,
  roles: readonly { roleId: string; path: string }[],
): Promise<void> {
  const community = await selectCommunity(ctx.db.system, id);
  const host = community && ctx.hosts[community.platform];
  if (community === undefined || host?.findFaults === undefined) return;
  let faults: readonly Refusal[];
  try {
    faults = await host.findFaults(
      community.community_id,
      roles.map(({ roleId }) => roleId),
    );
  } catch (error) {
    if (error instanceof PlatformFailed) return;
    throw error;
  }
  for (const { roleId, path } of roles) {
    const found = faults.find((fault) => fault.roleId === roleId);
    const code = found?.fault && detailCodes[found.fault];
    if (found === undefined || code === undefined) continue;
    const { advice: message, roleName, permissions } = found;
    throw new AppError('VALIDATION_FAILED', `The body at ${path} must name another role. ${message}`, {
      details: [
        { path, code, message, info: { roleId, ...(roleName && { roleName }), ...(permissions && { permissions }) } },
      ],
    });
  }
}
