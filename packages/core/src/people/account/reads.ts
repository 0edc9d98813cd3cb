import { type Page, principalId } from '@latchkey/kernel';
import {
  type AdministeredCommunity,
  type Community,
  pageOfAdmin,
  pageOfMember,
  reloadAdministered,
} from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import type { PageRequest } from '../../paging.ts';
import { createLinkChallenge, findFirstLink, listUsersSharingWallets } from '../wallets/index.ts';
import type { AccountAuthChallenge, User } from './account.ts';

export async function getAuthChallenge(ctx: Context): Promise<AccountAuthChallenge> {
  return { message: await createLinkChallenge(ctx) };
}

export async function getUserProfile(ctx: Context): Promise<User> {
  const { actor } = ctx;
  const id = principalId(actor);
  const since = await ctx.tx((tx) => findFirstLink(tx, id));
  return {
    id,
    pk: id,
    sk: 'USER',
    classifier: 'USER',
    classifierGroup: 'USER',
    platform: actor.kind === 'user' ? actor.platform : 'collabland',
    ...(since !== undefined && { createdTime: since.toISOString() }),
    ...(actor.kind === 'user' && actor.name !== undefined && { userName: actor.name }),
  };
}

export async function findLinkedUsers(ctx: Context): Promise<{ items: string[] }> {
  return { items: await listUsersSharingWallets(ctx) };
}

export async function getAdministratedCommunities(
  ctx: Context,
  { reload = false, ...page }: { reload?: boolean | undefined } & PageRequest = {},
): Promise<Page<AdministeredCommunity>> {
  if (reload) await reloadAdministered(ctx);
  return pageOfAdmin(ctx, principalId(ctx.actor), page);
}

export function getUserCommunities(ctx: Context, page: PageRequest = {}): Promise<Page<Community>> {
  return pageOfMember(ctx, principalId(ctx.actor), page);
}
