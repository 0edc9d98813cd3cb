import { type Actor, AppError, type ConnectPage, chatHomeOf, principalId } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/community-records/index.ts';
import { findMemberNames } from '../../communities/memberships/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
import { issueAeToken, verifyAeToken } from '../../identity/credentials/index.ts';
import { createState, openState, stateTtlSeconds } from '../../identity/states/index.ts';
import { type Context, contextFor } from '../../shared/context.ts';

/** Returns the data of the page behind a link; undefined if the link is unknown, has expired or is of another kind. */
export async function openConnectLink(ctx: Context, slug: string): Promise<ConnectPage | undefined> {
  const state = await openState(ctx, slug);
  if (state?.purpose !== purpose || typeof state.token !== 'string') return undefined;
  const actor = await findHolder(ctx, state.token);
  if (actor?.kind !== 'user') return undefined;
  const [community, names] = await Promise.all([
    findCommunity(contextFor(ctx, actor), state.communityId),
    findMemberNames(ctx.db.system, [actor.userId]),
  ]);
  return {
    page: 'connect',
    token: state.token,
    account: { platform: actor.platform, name: actor.name ?? names.get(actor.userId) ?? shortId(actor) },
    ...(community !== undefined && { community }),
    namespaces: linkableNamespaces(ctx),
  };
}

async function findHolder(ctx: Context, token: string): Promise<Actor | undefined> {
  try {
    return await verifyAeToken(ctx, token);
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_CREDENTIAL') return undefined;
    throw error;
  }
}

// Applications can store states too, so the content of a state is trusted only as far as the user could see it anyway.
async function findCommunity(user: Context, id: unknown): Promise<ConnectPage['community']> {
  if (typeof id !== 'string') return undefined;
  const found = await user.tx((tx) => selectCommunity(tx, id));
  if (found === undefined) return undefined;
  const link = chatHomeOf(found.platform, found.community_id);
  const pictures = await pictureAddresses(user.db.system, [found.id]);
  return { id: found.id, name: found.name, ...(link !== undefined && { link }), ...withPicture(pictures, found.id) };
}

function shortId(actor: Actor): string {
  const id = principalId(actor);
  return id.split('#').at(-1) ?? id;
}

/** The user whose wallets a link connects. */
export interface LinkedPerson {
  userId: string;
  platform: string;
  name?: string | undefined;
}

interface ConnectLinkOptions {
  /** The community in which the link was requested. */
  communityId?: string | undefined;
  /** Whether the page may register passkeys too, which give access for longer than the link is valid. */
  withPasskeys: boolean;
}

export interface ConnectLink {
  url: string;
  slug: string;
  /** In seconds since 1970. */
  expiresAt: number;
}

export const connectLinkMinutes = stateTtlSeconds / 60;
const purpose = 'wallet-connection';

const walletScopes = ['user:wallet:read', 'user:wallet:write'];
// The platform itself identified the user, so the page may also explain their roles.
const confirmedScopes = ['user:webauthn-credential:read', 'user:webauthn-credential:write', 'user:community:read'];

function describePerson({ userId, platform, name }: LinkedPerson, withPasskeys: boolean) {
  const scopes = withPasskeys ? [...walletScopes, ...confirmedScopes] : walletScopes;
  return { userId, platform, ...(name !== undefined && { name }), scopes, credential: 'connect-link' } as const;
}

/** Issues what such a link contains, for a page that the chat platform itself opened for the user. */
export function issueConnectToken(ctx: Context, person: LinkedPerson): Promise<string> {
  return issueAeToken(ctx, { ...describePerson(person, true), ttlSeconds: stateTtlSeconds });
}

/** The namespaces of wallets that a page can link. */
export function linkableNamespaces({ wallets }: Pick<Context, 'wallets'>): string[] {
  // A Magic wallet can be used only through Magic's script, and the page runs only its own scripts.
  return Object.keys(wallets).filter((namespace) => namespace !== 'magic');
}

/**
 * Creates a link to the page where a user connects wallets. Anyone who has it can act for the user there, so it is
 * shown only to them. It belongs to the user, and is deleted when the account is erased.
 */
export async function createConnectLink(
  ctx: Context,
  { userId, platform, name }: LinkedPerson,
  { communityId, withPasskeys }: ConnectLinkOptions,
): Promise<ConnectLink> {
  const person = describePerson({ userId, platform, name }, withPasskeys);
  const token = await issueAeToken(ctx, { ...person, ttlSeconds: stateTtlSeconds });
  const body = { purpose, userId, platform, token, ...(communityId !== undefined && { communityId }) };
  const { slug, expiresAt } = await createState(contextFor(ctx, { kind: 'user', ...person }), { body });
  return { url: `${ctx.settings.baseUrl}/connect/${slug}`, slug, expiresAt };
}
