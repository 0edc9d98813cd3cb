import type { IncomingMessage } from 'node:http';
import type { FormPostPage, LogoutPage, NoticePage, SignedOutPage } from '@latchkey/kernel';
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';

const problems = new WeakMap<IncomingMessage, { status: number; out: ErrorOut }>();

/** Leaves the response to us: the provider has no page that fits our content security policy. */
export function renderError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  problems.set(ctx.req, { status: ctx.status, out });
  ctx.respond = false;
}

/** Returns the error that the provider left to us, if any. */
export function problemOf(request: IncomingMessage): { status: number; out: ErrorOut } | undefined {
  return problems.get(request);
}

interface ShownPage {
  data: LogoutPage | NoticePage | SignedOutPage | FormPostPage;
  /** Where its form may redirect, besides this server. */
  formTarget?: string;
}

const pages = new WeakMap<IncomingMessage, ShownPage>();

/**
 * Leaves the confirmation to a page of ours: the provider's own runs a script that our content security policy blocks.
 */
export function renderLogout(ctx: KoaContextWithOIDC, form: string): void {
  const [, action = ''] = /action="([^"]*)"/.exec(form) ?? [];
  const [, proof = ''] = /name="xsrf" value="([^"]*)"/.exec(form) ?? [];
  const { post_logout_redirect_uri: returnsTo } = ctx.oidc.params ?? {};
  const { client } = ctx.oidc;
  leave(ctx, {
    data: {
      page: 'logout',
      action: new URL(action, 'http://here').pathname,
      proof,
      ...(client?.clientName !== undefined && { client: client.clientName }),
    },
    ...(typeof returnsTo === 'string' && { formTarget: new URL(returnsTo).origin }),
  });
}

export function renderLoggedOut(ctx: KoaContextWithOIDC): void {
  leave(ctx, {
    data: { page: 'notice', title: 'You are signed out', text: 'You can close this page, or sign in again any time.' },
  });
}

/** Replaces the redirection after signing out with a page that signs the browser out of these applications too. */
export function renderSignedOut(ctx: KoaContextWithOIDC, frames: string[], next: string): void {
  ctx.remove('location');
  leave(ctx, { data: { page: 'signed-out', frames, next } });
}

/** Returns to an application with a form (OAuth 2.0 Form Post Response Mode). */
export async function renderFormPost(
  ctx: KoaContextWithOIDC,
  redirectUri: string,
  response: Record<string, unknown>,
): Promise<void> {
  const fields = Object.fromEntries(Object.entries(response).map(([name, value]) => [name, String(value)]));
  leave(ctx, {
    data: { page: 'form-post', client: ctx.oidc.client?.clientName ?? '', action: redirectUri, fields },
  });
}

/** Returns the page that the provider left to us, if any. */
export function shownPageOf(request: IncomingMessage): ShownPage | undefined {
  return pages.get(request);
}

function leave(ctx: KoaContextWithOIDC, page: ShownPage): void {
  pages.set(ctx.req, page);
  ctx.respond = false;
}
