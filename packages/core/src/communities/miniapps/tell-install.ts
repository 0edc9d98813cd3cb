import { AppFailed, type CallContext, callApp } from './call-app.ts';
import { callListed } from './call-listed.ts';
import { selectMiniApp } from './queries.ts';

/** It does not serve /events, or took the news and said so in words of its own. */
function isFine(status = 0): boolean {
  return status === 404 || status === 405 || (status >= 200 && status < 300);
}

/** Tells an app that it was installed or removed, if it wants to hear of it: /events is optional. */
export async function tellOfInstall(
  ctx: CallContext,
  { appId, url, body }: { appId?: string | undefined; url: string; body: string },
  signal: AbortSignal,
): Promise<void> {
  const app = appId === undefined ? undefined : await selectMiniApp(ctx.db.system, appId);
  const call =
    app === undefined
      ? callApp(ctx, url, body, { signature: 'both', signal })
      : callListed(ctx, app, '/events', body, signal);
  await call.catch((error: unknown) => {
    if (!(error instanceof AppFailed) || !isFine(error.status)) throw error;
  });
}
