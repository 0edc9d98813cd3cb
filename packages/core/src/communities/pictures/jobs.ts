import { hash } from 'node:crypto';
import { enqueue, enqueueMany, type Sql } from '@latchkey/db';
import { addSeconds, job, type Schedule, shape, T } from '@latchkey/kernel';
import { type CommunityPicture, PlatformFailed } from '../../ports/index.ts';
import { announce } from '../../services/live-updates/index.ts';
import { communityIdField } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { selectCommunity } from '../community-records/index.ts';
import { claimDuePictures, type PictureRow, savePicture, selectVersion, setChecked } from './queries.ts';
import { recognizePicture } from './recognize.ts';

const freshSeconds = 24 * 60 * 60;
const againSeconds = 10 * 60;
const maxVersion = 512;

type RefreshContext = Pick<Context, 'clock' | 'db' | 'hosts' | 'log'>;

/** Reads the picture of a community from its platform. If the platform does not respond, the stored one stays. */
export async function refreshPicture(ctx: RefreshContext, communityId: string, signal?: AbortSignal): Promise<void> {
  const { db } = ctx;
  const community = await selectCommunity(db.system, communityId);
  const host = community && ctx.hosts[community.platform];
  if (community?.status !== 'active' || host?.readPicture === undefined) return;
  const now = ctx.clock();
  const before = await selectVersion(db.system, community.id);
  try {
    const picture = await host.readPicture(community.community_id, before, signal);
    if (picture.kind === 'same' || (picture.kind === 'none' && before === undefined))
      return await setChecked(db.system, community.id, now);
    await savePicture(db.system, { community_id: community.id, checked_at: now, ...contentOf(picture) });
    await announce(db.system, { changed: 'setup', community: community.id });
  } catch (error) {
    if (!(error instanceof PlatformFailed)) throw error;
    const { kind, message: reason } = error;
    ctx.log.debug('Failed to read the picture of a community.', { communityId: community.id, kind, reason });
    const due = now.getTime() - (freshSeconds - againSeconds) * 1000;
    await setChecked(db.system, community.id, kind === 'unavailable' ? new Date(due) : now);
  }
}

/** For a picture that cannot be shown only the version is stored, so that it is not read again and again. */
function contentOf(picture: Exclude<CommunityPicture, { kind: 'same' }>): Content {
  if (picture.kind === 'none') return { ...nothing, version: null };
  const version = picture.version.slice(0, maxVersion);
  const type = recognizePicture(picture.bytes);
  if (type === undefined) return { ...nothing, version };
  return { version, type, bytes: Buffer.from(picture.bytes), digest: hash('sha256', picture.bytes) };
}

type Content = Pick<PictureRow, 'version' | 'digest' | 'type' | 'bytes'>;
const nothing = { digest: null, type: null, bytes: null };

const refresh = job(
  'pictures.refresh',
  {
    payload: shape(T.Object({ communityId: communityIdField() })),
    timeoutSeconds: 60,
  },
  (ctx: Context, { communityId }, { signal }) => refreshPicture(ctx, communityId, signal),
);

const communitiesAtOnce = 200;

/** Checks every community's picture once a day, and that of a new community immediately. */
const startRefreshing = job(
  'pictures.start-refreshing',
  { payload: shape(T.Record(T.String(), T.Never())) },
  async (ctx: Pick<Context, 'clock' | 'db'>) => {
    const now = ctx.clock();
    const before = addSeconds(now, -freshSeconds);
    const due = await claimDuePictures(ctx.db.system, before, now, communitiesAtOnce);
    const jobs = due.map((communityId) => ({ payload: { communityId }, uniqueKey: communityId, group: communityId }));
    await enqueueMany(ctx.db.system, refresh, jobs);
  },
);

/** Queues a read of the picture, because the platform reported a change. Takes the qualified id of a community. */
export async function rereadPicture(db: Sql, communityId: string): Promise<void> {
  if ((await selectCommunity(db, communityId)) === undefined) return;
  await enqueue(db, refresh, { communityId }, { uniqueKey: communityId });
}

export const pictureJobs = [refresh, startRefreshing] as const;

export const pictureSchedules: readonly Schedule[] = [
  { name: startRefreshing.name, cron: '* * * * *', job: startRefreshing },
];
