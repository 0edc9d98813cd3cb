import { canonicalScopes } from '@latchkey/core';
import type { Middleware } from 'koa';

/** Scopes may come with commas and old names, or not at all; the provider is given the one form it reads. */
export function normalizeRequest(authorizePath: string): Middleware {
  return (ctx, next) => {
    const { scope } = ctx.query;
    if (ctx.path === authorizePath && (scope === undefined || typeof scope === 'string')) {
      const scopes = canonicalScopes(scope ?? '');
      ctx.query = { ...ctx.query, scope: scopes.length === 0 ? 'openid' : scopes.join(' ') };
    }
    return next();
  };
}
