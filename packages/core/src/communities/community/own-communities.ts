import type { Tx } from '@latchkey/db';
import { maxPageSize, type Page } from '@latchkey/kernel';
import type { PlatformRole } from '../../ports/index.ts';
import type { Context } from '../../shared/context.ts';
import { inParallel } from '../../shared/in-parallel.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import type { AdministeredCommunity, Community } from './community.ts';
import { findPlatformRoles } from './platform-roles.ts';
import { type CommunityRow, listCommunities, selectCommunitiesOfMember } from './queries.ts';
import { describe, type ReadContext } from './reads.ts';

/** For all communities together: whoever waits for names of roles does not wait longer. */
const rolesTimeoutMs = 5_000;
const askedAtOnce = 8;

/** The communities that a user is an admin of, with their rules and the roles of those whose platform answers in time. */
export async function pageOfAdmin(
  ctx: ReadContext & Pick<Context, 'hosts' | 'log'>,
  userId: string,
  request: PageRequest,
): Promise<Page<AdministeredCommunity>> {
  const page = await readPage(ctx, request, {
    list: 'administered-communities',
    read: (tx, after, limit) => listCommunities(tx, { adminId: userId, after, limit }),
    parts: ['tpcs'],
  });
  const signal = AbortSignal.timeout(rolesTimeoutMs);
  return {
    ...page,
    items: await inParallel(page.items, askedAtOnce, (community) => withRoles(ctx, community, signal)),
  };
}

/** The communities that a user is in. */
export function pageOfMember(ctx: ReadContext, userId: string, request: PageRequest): Promise<Page<Community>> {
  return readPage(ctx, request, {
    list: 'joined-communities',
    read: (tx, after, limit) => selectCommunitiesOfMember(tx, userId, limit, { after }),
    parts: [],
  });
}

// Clients of the published API know no pages here, so without a limit an answer holds as many as it can.
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
