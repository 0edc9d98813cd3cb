import type { KoaContextWithOIDC } from 'oidc-provider';
import { renderLogout } from './render-logout.ts';

type Next = () => Promise<void>;

/** Somebody who is not logged in is asked like everybody else; the provider would send a form by a script instead. */
export async function askBeforeLogout(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  if (ctx.oidc?.route === 'end_session' && typeof ctx.body === 'string') renderLogout(ctx, ctx.body);
}

/** The provider says 303, and the published API 302. Browsers go on with GET after either. */
export async function redirectAsPublished(ctx: { status: number }, next: Next): Promise<void> {
  await next();
  if (ctx.status === 303) ctx.status = 302;
}

/** Some clients, simple-oauth2 among them, take no response without a JSON type, not even the empty one of RFC 7009. */
export async function typeRevocations(ctx: KoaContextWithOIDC, next: Next): Promise<void> {
  await next();
  if (ctx.oidc?.route === 'revocation' && ctx.body === '') ctx.type = 'json';
}
