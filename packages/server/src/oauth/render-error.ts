import type { IncomingMessage } from 'node:http';
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
