import type { Context } from '../../context.ts';
import { findClientRef } from '../../developers/client-apps/index.ts';
import { describeScopes } from '../../developers/oauth2/index.ts';
import {
  deleteUserAuthorization,
  getUserAuthorizations,
  type UserAuthorization,
} from '../../people/user-authorizations/index.ts';
import type { Interaction } from './interaction.ts';
import { type Button, button, type InteractionResponse, say } from './responses.ts';

/** So many have a button beside the message; the rest follows once one of them is taken back. */
const maxShown = 5;
const maxLabel = 80;

/** Shows somebody which applications may act for them, each with a button that takes it back. */
export async function showAllowedApps(ctx: Context): Promise<InteractionResponse> {
  const { items, paginationToken } = await getUserAuthorizations(ctx, { limit: maxShown });
  if (items.length === 0) return say('You have let no application act for you.');
  const shown = await Promise.all(items.map((one) => describe(ctx, one)));
  const more = paginationToken === undefined ? [] : [`These are the first ${maxShown}; there are more.`];
  const head = 'These applications may do something in your name:';
  return say(
    [head, ...shown.map(({ line }) => line), ...more].join('\n'),
    shown.map(({ takeBack }) => takeBack),
  );
}

/** Takes back what an application was allowed, and ends its tokens of this person. */
export async function forbidApp(ctx: Context, { options }: Pick<Interaction, 'options'>): Promise<InteractionResponse> {
  const clientId = options.app ?? '';
  const name = await nameOf(ctx, clientId);
  await deleteUserAuthorization(ctx, { clientId });
  return say(`${name} cannot act for you any more. What it has learned already is in its hands.`);
}

async function describe(
  ctx: Context,
  { clientApplicationId: clientId = '', scopes = [] }: UserAuthorization,
): Promise<{ line: string; takeBack: Button }> {
  const [name, described] = await Promise.all([nameOf(ctx, clientId), describeScopes(ctx, scopes)]);
  const words = described.map(({ description }) => description).join('; ');
  return {
    line: `• **${name}**: ${words}`,
    takeBack: button(`Take back: ${name}`.slice(0, maxLabel), `latchkey:forbid:${clientId}`),
  };
}

async function nameOf(ctx: Pick<Context, 'db'>, clientId: string): Promise<string> {
  return (await findClientRef(ctx.db.pool, clientId))?.client.name ?? `Application ${clientId}`;
}
