import { rememberAccount, type Services } from '@latchkey/core';
import { observed } from '@latchkey/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import type { InteractionResults } from 'oidc-provider';
import { type OpenRequest, openRequest } from './requests.ts';

/** The user who signed in, by any method. */
export interface LoggedInUser {
  userId: string;
  /** For example discord, telegram, reddit, ethereum. */
  platform: string;
  name?: string | undefined;
}

/**
 * Records a login for the request with this slug and redirects the browser. Throws ENTITY_NOT_FOUND unless the request
 * came from this browser: the slug alone, which is part of URLs, signs in no user.
 */
export type FinishLogin = (
  request: FastifyRequest,
  reply: FastifyReply,
  slug: string,
  user: LoggedInUser,
) => Promise<FastifyReply>;

export function createFinishLogin(provider: Provider, services: Services): FinishLogin {
  return async (request, reply, slug, user) => {
    const open = await openRequest(provider, services, request, reply, slug);
    return reply.redirect(await recordLogin(provider, services, open, { request, reply, user }));
  };
}

export interface Login {
  request: FastifyRequest;
  reply: FastifyReply;
  user: LoggedInUser;
  /** The scopes that the login is limited to, if any. */
  context?: string | undefined;
  /** The grant, if the user approved it at the same time. */
  grantId?: string | undefined;
}

/** Records a login and returns where the browser goes next. */
export async function recordLogin(
  provider: Provider,
  services: Services,
  { interaction }: OpenRequest,
  { request, reply, user, context, grantId }: Login,
): Promise<string> {
  await rememberAccount(services, user);
  await leaveOtherAccount(provider, interaction, user.userId);
  const result: InteractionResults = {
    login: { accountId: user.userId, ...(context !== undefined && { acr: context }) },
    ...(grantId !== undefined && { consent: { grantId } }),
  };
  const address = await provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
  observed.signIn.record({ method: `oauth2-${user.platform}` });
  return address;
}

/** Signs the browser out, so that its request starts over at the sign-in page. Returns where the browser goes next. */
export async function switchAccount(
  provider: Provider,
  { interaction }: OpenRequest,
  { request, reply }: Pick<Login, 'request' | 'reply'>,
): Promise<string> {
  await leaveOtherAccount(provider, interaction, undefined);
  return provider.interactionResult(request.raw, reply.raw, {}, { mergeWithLastSubmission: false });
}

/** A browser that was signed in as another user gets a new session: the two must not mix. */
async function leaveOtherAccount(
  provider: Provider,
  interaction: OpenRequest['interaction'],
  userId: string | undefined,
): Promise<void> {
  const { session } = interaction;
  if (session === undefined || session.accountId === userId) return;
  await (await provider.Session.findByUid(session.uid))?.destroy();
  interaction.session = undefined;
  await interaction.persist();
}
