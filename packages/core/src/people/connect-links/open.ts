import { type Actor, AppError, type ConnectPage, chatHomeOf, principalId } from '@latchkey/kernel';
import { selectCommunity } from '../../communities/communities/index.ts';
import { pictureAddresses, withPicture } from '../../communities/pictures/index.ts';
import { type Context, contextFor } from '../../context.ts';
import { verifyAeToken } from '../../developers/credentials/index.ts';
import { openState } from '../../machinery/states/index.ts';
import { purpose } from './create.ts';

/** What the page behind a link is told, or undefined when the link was never made, has expired or is of another kind. */
export async function openConnectLink(ctx: Context, slug: string): Promise<ConnectPage | undefined> {
  const state = await openState(ctx, slug);
  if (state?.purpose !== purpose || typeof state.token !== 'string') return undefined;
  const actor = await findHolder(ctx, state.token);
  if (actor?.kind !== 'user') return undefined;
  const community = await findCommunity(contextFor(ctx, actor), state.communityId);
  return {
    page: 'connect',
    token: state.token,
    account: { platform: actor.platform, name: actor.name ?? shortId(actor) },
    ...(community !== undefined && { community }),
    // A wallet of Magic can be used only by a script of Magic, and the page runs nobody's but its own.
    namespaces: Object.keys(ctx.wallets).filter((namespace) => namespace !== 'magic'),
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

// Applications can keep states too, so what a state says is believed only as far as the person could see it anyway.
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
