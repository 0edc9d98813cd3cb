import { enqueue, enqueueMany, type Sql } from '@latchkey/db';
import { addDays, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import { appNews, installedAppIds } from '../../communities/installs/index.ts';
import type { Context } from '../../shared/context.ts';
import { communityKey, parseCommunityKey } from '../../shared/qualified-ids.ts';
import { signForApp } from './action-signature.ts';
import { AppFailed, type CallContext, callApp, knock } from './call-app.ts';
import { callListed } from './call-listed.ts';
import { probeAgain } from './decide.ts';
import { openKey } from './keys.ts';
import { deleteOldQuestions } from './permission-queries.ts';
import { selectDueProbes, selectMiniApp } from './queries.ts';
import { appIdField as appId, patient, syncEverywhere, syncOne, withdrawApp } from './sync-jobs.ts';

const Nothing = shape(T.Record(T.String(), T.Never()));

/** Notifies an app that it was installed or removed. */
export const notifyApp = job(
  'miniapps.tell',
  {
    payload: shape(
      T.Object({
        appId: T.Optional(appId),
        url: text('Its address.', { maxLength: 2100 }),
        body: text('What to say.', { maxLength: 1000 }),
      }),
    ),
    retry: patient,
  },
  (ctx: Context, payload, { signal }) => notifyInstall(ctx, payload, signal),
);

/** Sends an event to the webhook of an app, signed with its own key. */
export const sendEvent = job(
  'miniapps.event',
  { payload: shape(T.Object({ appId, body: text('The event.', { maxLength: 100_000 }) })), retry: patient },
  (ctx: Context, payload, { signal }) => sendToWebhook(ctx, payload, signal),
);

/** Runs after a community installs or removes an app. */
export const onAppNews = job(appNews.name, { payload: appNews.payload }, async (ctx: Context, news) => {
  const app = await selectMiniApp(ctx.db.system, news.appId);
  const guildId = parseCommunityKey(news.communityId)?.communityId ?? '';
  await ctx.db.transaction('system', async (tx) => {
    await enqueue(tx, syncOne, { communityId: news.communityId }, { uniqueKey: news.communityId });
    if (app?.url == null) return;
    const body = JSON.stringify({ event: news.event, timestamp: news.at, guildId });
    const notice = { appId: app.id, url: `${app.url}/events`, body };
    await enqueue(tx, notifyApp, notice, { key: `${app.id}:${guildId}` });
    if (news.event === 'install') return;
    const event = { event: 'uninstallMiniapp', payload: { guildId, userId: news.userId } };
    await enqueue(tx, sendEvent, { appId: app.id, body: JSON.stringify(event) }, { key: `${app.id}:${guildId}` });
  });
});

const probeEveryDays = 7;

const probesAtOnce = 100;

export const probeDue = job(
  'miniapps.probe-due',
  { payload: Nothing, timeoutSeconds: 900 },
  async (ctx: Context, _payload, { signal }) => {
    const before = addDays(ctx.clock(), -probeEveryDays);
    for (const { id } of await selectDueProbes(ctx.db.system, before, probesAtOnce)) {
      if (signal.aborted) return;
      await probeAgain(ctx, id);
    }
  },
);

const questionsAtOnce = 5_000;

export const removeOldQuestions = job(
  'miniapps.remove-old-questions',
  { payload: Nothing },
  async (ctx: Context, _payload, { signal }) => {
    const removeSome = () => deleteOldQuestions(ctx.db.system, ctx.clock(), questionsAtOnce);
    while (!signal.aborted && (await removeSome()) === questionsAtOnce);
  },
);

export const miniAppJobs = [
  syncOne,
  syncEverywhere,
  notifyApp,
  sendEvent,
  onAppNews,
  withdrawApp,
  probeDue,
  removeOldQuestions,
] as const;

export const miniAppSchedules: readonly Schedule[] = [
  { name: 'miniapps.probe-due', cron: '13 * * * *', job: probeDue },
  { name: 'miniapps.remove-old-questions', cron: '33 * * * *', job: removeOldQuestions },
];

/** It does not serve /events, or accepted the event with any 2xx status. */
function isFine(status = 0): boolean {
  return status === 404 || status === 405 || (status >= 200 && status < 300);
}

/** Notifies an app that it was installed or removed, if it implements /events, which is optional. */
export async function notifyInstall(
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

/** Sends an event to the webhook in the manifest, if the app is listed and subscribed to such events. */
async function sendToWebhook(
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

interface MemberNews {
  event: 'guildMemberUpdate' | 'guildMemberRemove';
  guildId: string;
  userId: string;
  roles: readonly string[];
}

/** Sends member events to the apps of a server that requested them. */
export async function notifyMemberNews(db: Sql, { event, guildId, userId, roles }: MemberNews): Promise<void> {
  const ids = await installedAppIds(db, communityKey('discord', guildId));
  if (ids.length === 0) return;
  const apps = await Promise.all(ids.map((id) => selectMiniApp(db, id)));
  const requested = apps.filter(
    (app) => app?.status === 'LISTED' && app.profile?.manifest.subscribedEvents?.includes(event),
  );
  const body = JSON.stringify({ event, payload: [{ guildId, userId, roles }] });
  const jobs = requested.flatMap((app) =>
    app === undefined ? [] : [{ payload: { appId: app.id, body }, key: `${app.id}:${guildId}:${userId}` }],
  );
  await enqueueMany(db, sendEvent, jobs);
}
