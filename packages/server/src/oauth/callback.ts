import {
  consentPurposeOf,
  findRemembered,
  type Services,
  sortScopes,
  takeConsent,
  useUpAeToken,
  verifyAeToken,
} from '@latchkey/core';
import { type Actor, AppError } from '@latchkey/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type Provider from 'oidc-provider';
import { recordLogin } from './finish-login.ts';
import { createGrant } from './grants.ts';
import { limitOfContext, limitToContext } from './login-limit.ts';
import { type OpenRequest, openRequest } from './requests.ts';

export interface CallbackInput {
  slug: string;
  aeToken: string;
  userAuthorization?: 'granted' | 'denied';
}

interface Visit {
  request: FastifyRequest;
  reply: FastifyReply;
}

/**
 * Handles the user's decision on one of our pages, which their own browser sends here. Returns where the browser goes
 * next.
 */
export function createCallback(provider: Provider, services: Services) {
  return async (visit: Visit, { slug, aeToken, userAuthorization }: CallbackInput): Promise<string> => {
    const open = await openRequest(provider, services, visit.request, visit.reply, slug);
    const asks = open.interaction.prompt.name;
    if (userAuthorization === 'denied') return deny(open, aeToken, visit);
    return asks === 'login'
      ? logIn(open, aeToken, visit, userAuthorization)
      : agree(open, aeToken, visit, userAuthorization);
  };

  async function logIn(
    open: OpenRequest,
    aeToken: string,
    visit: Visit,
    userAuthorization: 'granted' | undefined,
  ): Promise<string> {
    const user = await useUpAeToken(services, aeToken);
    const context = limitToContext(user.scopes);
    const grantId =
      userAuthorization === undefined ? undefined : await grantAllowed(open, user.userId, limitOfContext(context));
    return recordLogin(provider, services, open, { ...visit, user, context, grantId });
  }

  async function agree(
    open: OpenRequest,
    aeToken: string,
    { request, reply }: Visit,
    userAuthorization: 'granted' | undefined,
  ): Promise<string> {
    const user = await verifyDecider(open, aeToken);
    if (userAuthorization === undefined) throw undecided();
    const grantId = await grantAllowed(open, user.userId, limitOfContext(open.interaction.session?.acr));
    if (grantId === undefined) throw undecided();
    return provider.interactionResult(request.raw, reply.raw, { consent: { grantId } });
  }

  async function deny(open: OpenRequest, aeToken: string, { request, reply }: Visit): Promise<string> {
    await verifyDecider(open, aeToken);
    const result = { error: 'access_denied', error_description: 'The user declined.' };
    return provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: false });
  }

  /** The deciding user must be the one the browser is signed in as, if any. */
  async function verifyDecider(open: OpenRequest, aeToken: string): Promise<Extract<Actor, { kind: 'user' }>> {
    const user = await verifyAeToken(services, aeToken);
    if (user.kind !== 'user') throw refused();
    const isSame = open.interaction.session === undefined || open.interaction.session.accountId === user.userId;
    const isForThis = user.purpose === undefined || user.purpose === consentPurposeOf(open.slug);
    if (!isSame || !isForThis) throw refused();
    return user;
  }

  /** Grants the authorization that was recorded for this request; undefined if none was. */
  async function grantAllowed(
    { slug, request, client }: OpenRequest,
    userId: string,
    limit: readonly string[] | undefined,
  ): Promise<string | undefined> {
    const decided = await takeConsent(services, slug, userId);
    if (decided === undefined) return undefined;
    const { open } = await sortScopes(services, userId, request.scopes, limit);
    const remembered = await findRemembered(services, userId, client.id);
    const allowed = open.filter((scope) => scope === 'openid' || decided.includes(scope) || remembered.includes(scope));
    return (await createGrant(provider, { userId, client, requested: request.scopes, allowed })).id;
  }
}

function refused(): AppError {
  return new AppError('INVALID_CREDENTIAL', 'This token does not match the request. Log in again.');
}

function undecided(): AppError {
  return new AppError('INVALID_PARAMETER_VALUE', 'This request has not been approved or declined yet.');
}
