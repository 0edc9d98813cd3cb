import { rememberAccount, type Services } from '@latchkey/core';
import { observed } from '@latchkey/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import type { InteractionResults } from 'oidc-provider';
import { type OpenRequest, openRequest } from './requests.ts';

/** Who a person turned out to be, by whatever way they logged in. */
export interface LoggedInUser {
  userId: string;
  /** For example discord, telegram, reddit, ethereum. */
  platform: string;
  name?: string | undefined;
}

/**
 * Records a login for the request that `slug` names and sends the browser on. Throws ENTITY_NOT_FOUND unless this is the
 * browser that the request came from: the slug alone, which travels in addresses, logs nobody in.
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
  /** What the login is limited to, if it is. */
  context?: string | undefined;
  /** The authorization, if the person gave it at the same time. */
  grantId?: string | undefined;
}

/** Records a login and answers with where the browser goes on. */
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

/**
 * Logs the browser out, so that the request that it made is asked about anew: it goes on at the page where people say who
 * they are. Answers with where the browser goes.
 */
export async function switchAccount(
  provider: Provider,
  { interaction }: OpenRequest,
  { request, reply }: Pick<Login, 'request' | 'reply'>,
): Promise<string> {
  await leaveOtherAccount(provider, interaction, undefined);
  return provider.interactionResult(request.raw, reply.raw, {}, { mergeWithLastSubmission: false });
}

/** A browser that was logged in as another user starts afresh: the two sessions must not mix. */
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
