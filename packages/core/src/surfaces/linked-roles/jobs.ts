import { enqueueMany } from '@latchkey/db';
import { addSeconds, exponentialRetry, job, type Schedule, shape, T, text } from '@latchkey/kernel';
import { announce } from '../../services/live-updates/index.ts';
import type { Context } from '../../shared/context.ts';
import { nativeUserId } from '../../shared/qualified-ids.ts';
import { endJob } from './end-connection.ts';
import {
  changeConnection,
  claimDue,
  deleteEndingsBefore,
  type RoleConnectionRow,
  selectConnection,
  takeChanged,
} from './queries.ts';
import { areSame, readValues } from './records.ts';
import { isRefused, openTokens, sealTokens, withTokens } from './tokens.ts';

type UpdateContext = Pick<Context, 'clock' | 'db' | 'keyring' | 'linkedRoles' | 'log' | 'settings'>;

const mostPlatformName = 50;
const mostUserName = 100;

/** Sends Discord a user's current values, unless it already has them. Throws when it should be retried. */
export async function updateValues(ctx: UpdateContext, userId: string, signal?: AbortSignal): Promise<void> {
  const { linkedRoles } = ctx;
  const row = await selectConnection(ctx.db.system, userId);
  const discordId = nativeUserId('discord', userId);
  if (row === undefined || linkedRoles === undefined || discordId === undefined) return;
  const { access_token, refresh_token } = row;
  if (access_token === null || refresh_token === null) return;
  const values = await readValues(ctx.db.system, userId);
  if (row.sent !== null && areSame(row.sent, values)) return;
  const sent = {
    userId: discordId,
    platformName: ctx.settings.serviceName.slice(0, mostPlatformName),
    userName: row.user_name.slice(0, mostUserName),
    values,
  };
  const use = {
    tokens: openTokens(ctx, 'role_connections', userId, { access_token, refresh_token, expires_at: row.expires_at }),
    keep: (renewed: Parameters<typeof sealTokens>[3]) =>
      changeConnection(ctx.db.system, row, sealTokens(ctx, 'role_connections', userId, renewed)),
    ...(signal !== undefined && { signal }),
  };
  try {
    await withTokens(ctx, linkedRoles, use, ({ accessToken }) => linkedRoles.send(accessToken, sent, signal));
  } catch (error) {
    if (!isRefused(error)) throw error;
    ctx.log.info('Discord no longer accepts a user’s authorization.', { reason: error.message });
    return change({ access_token: null, refresh_token: null, lost_at: ctx.clock() });
  }
  await change({ sent: values, sent_at: ctx.clock() });

  /** Also updates the person's page immediately, if it is open. */
  function change(changes: Parameters<typeof changeConnection>[2]): Promise<void> {
    return ctx.db.transaction('system', async (tx) => {
      await changeConnection(tx, row as RoleConnectionRow, changes);
      await announce(tx, { changed: 'roles', accounts: [userId] });
    });
  }
}

export const updateJob = job(
  'linked-roles.update',
  {
    payload: shape(T.Object({ userId: text('Whose values.', { maxLength: 128 }) })),
    retry: exponentialRetry(10, 10, 3600),
  },
  (ctx: Context, { userId }, { signal }) => updateValues(ctx, userId, signal),
);

const atOnce = 2000;
const daySeconds = 24 * 3600;
/** A token that could not be revoked is deleted after this time. */
const keptSeconds = 30 * daySeconds;

/** Finds users with changes, and those not checked for a day: leaving a server changes no role here. */
export async function findDue(ctx: Pick<Context, 'clock' | 'db' | 'linkedRoles'>): Promise<void> {
  const now = ctx.clock();
  const tomorrow = addSeconds(now, daySeconds);
  await ctx.db.transaction('system', async (tx) => {
    const changed = await takeChanged(tx, atOnce);
    // Changes do not accumulate while no application is configured; connected users are due once there is one again.
    if (ctx.linkedRoles === undefined) return;
    const due = await claimDue(tx, now, tomorrow, atOnce);
    const jobs = [...new Set([...changed, ...due])].map((userId) => ({ payload: { userId }, uniqueKey: userId }));
    await enqueueMany(tx, updateJob, jobs);
  });
}

const nothing = shape(T.Record(T.String(), T.Never()));
const findDueJob = job('linked-roles.find-due', { payload: nothing }, findDue);
const removeOldJob = job('linked-roles.remove-old', { payload: nothing }, (ctx: Pick<Context, 'clock' | 'db'>) =>
  deleteEndingsBefore(ctx.db.system, addSeconds(ctx.clock(), -keptSeconds)),
);

export const linkedRoleJobs = [updateJob, endJob, findDueJob, removeOldJob] as const;

export const linkedRoleSchedules: readonly Schedule[] = [
  { name: findDueJob.name, cron: '* * * * *', job: findDueJob },
  { name: removeOldJob.name, cron: '47 3 * * *', job: removeOldJob },
];
