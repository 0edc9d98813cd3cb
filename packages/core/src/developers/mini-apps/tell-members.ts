import { enqueueMany, type Sql } from '@latchkey/db';
import { installedAppIds } from '../../communities/installs/index.ts';
import { communityKey } from '../../shared/qualified-ids.ts';
import { sendEvent } from './jobs.ts';
import { selectMiniApp } from './queries.ts';

export interface MemberNews {
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
  const asked = apps.filter(
    (app) => app?.status === 'LISTED' && app.profile?.manifest.subscribedEvents?.includes(event),
  );
  const body = JSON.stringify({ event, payload: [{ guildId, userId, roles }] });
  const jobs = asked.flatMap((app) =>
    app === undefined ? [] : [{ payload: { appId: app.id, body }, key: `${app.id}:${guildId}:${userId}` }],
  );
  await enqueueMany(db, sendEvent, jobs);
}
