import { addMs } from '@latchkey/kernel';
import type { SignatureKind } from './action-signature.ts';
import { AppFailed, type CallContext, callApp } from './call-app.ts';
import { findSignature, refusals } from './find-signature.ts';
import { claimTry, type MiniAppRow, setSignature } from './queries.ts';

/** How often a refusal triggers a new detection of the signatures an app verifies. */
const tryEveryMs = 60_000;

type Called = Pick<MiniAppRow, 'id' | 'url' | 'signature' | 'profile'>;

/**
 * Calls an app with the signatures that it verifies. If it refuses, its key may have changed: the signatures are
 * detected again, and if they differ, the call is repeated once.
 */
export async function callListed(
  ctx: CallContext,
  app: Called,
  path: '/events' | '/interactions',
  body: string,
  signal?: AbortSignal,
): Promise<unknown> {
  const address = `${app.url}${path}`;
  const signature = app.signature ?? 'both';
  try {
    return await callApp(ctx, address, body, { signature, signal });
  } catch (error) {
    if (!(error instanceof AppFailed) || !refusals.includes(error.status ?? 0)) throw error;
    const found = await findAnew(ctx, app);
    if (found === undefined || found === signature) throw error;
    return callApp(ctx, address, body, { signature: found, signal });
  }
}

async function findAnew(ctx: CallContext, app: Called): Promise<SignatureKind | undefined> {
  const now = ctx.clock();
  const { url, profile } = app;
  if (url === null || profile === null) return undefined;
  if (!(await claimTry(ctx.db.system, app.id, now, addMs(now, -tryEveryMs)))) return undefined;
  const { signature } = await findSignature(ctx, url, profile);
  if (signature !== app.signature) await setSignature(ctx.db.system, app.id, signature);
  return signature;
}
