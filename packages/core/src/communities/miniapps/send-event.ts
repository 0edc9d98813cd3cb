import type { Context } from '../../context.ts';
import { signForApp } from './action-signature.ts';
import { knock } from './call-app.ts';
import { openKey } from './keys.ts';
import { selectMiniApp } from './queries.ts';

/** Sends an event to the webhook that the manifest names, if the app is listed and asked for such events. */
export async function sendToWebhook(
  ctx: Context,
  { appId, body }: { appId: string; body: string },
  signal: AbortSignal,
): Promise<void> {
  const app = await selectMiniApp(ctx.db.system, appId);
  const { webhookUrl, subscribedEvents = [] } = app?.profile?.manifest ?? {};
  const { event } = JSON.parse(body) as { event: string };
  if (app === undefined || app.status !== 'LISTED' || webhookUrl === undefined) return;
  if (event !== 'uninstallMiniapp' && !subscribedEvents.includes(event)) return;
  signal.throwIfAborted();
  const headers = signForApp(openKey(ctx, app.id, app.private_key), ctx.clock(), body);
  const status = await knock(ctx, webhookUrl, body, { ...headers });
  if (status >= 300) throw new Error(`The webhook of the mini-app answered ${status}.`);
}
