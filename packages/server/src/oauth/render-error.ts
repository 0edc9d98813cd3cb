import type { IncomingMessage } from 'node:http';
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider';

const problems = new WeakMap<IncomingMessage, { status: number; out: ErrorOut }>();

/** Leaves the answer to us: the provider has no page that fits our content policy. */
export function renderError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  problems.set(ctx.req, { status: ctx.status, out });
  ctx.respond = false;
}

/** What the provider could not answer by itself, if anything. */
export function problemOf(request: IncomingMessage): { status: number; out: ErrorOut } | undefined {
  return problems.get(request);
}
