import { NoContent, notFound, OpenObject, op, record, T, text, texts, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin } from '../../communities/access/index.ts';
import { getCommunity } from '../../communities/community-records/index.ts';
import { selectInstalledApp, updateAppSettings } from '../../communities/installs/index.ts';
import { selectMembers } from '../../communities/memberships/index.ts';
import { findClientRef } from '../../identity/client-apps/index.ts';
import { findOrganizationName } from '../../identity/organizations/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { describeScopes } from '../oauth2/index.ts';
import { type MiniAppRow, selectMiniApp } from './queries.ts';

const InstalledApp = record('InstalledApp', 'A mini-app as a community has installed it, and what it may do there.', {
  appId: text('The id of the mini-app.'),
  name: text('Its name.'),
  developer: T.Optional(text('The organization that owns it; absent for a built-in app.')),
  isSuspended: T.Boolean({ description: 'Whether it is suspended because the operator revoked it.' }),
  installedTime: text('When it was installed, in ISO 8601.'),
  installedBy: text('The admin who installed it.'),
  installedByName: T.Optional(text('That admin’s name on the platform.')),
  installedVersion: text('The version that was installed.'),
  commands: texts('The commands that it adds.', { maxLength: 200 }),
  context: texts('The context it receives with each command or button press, as it lists it.', { maxLength: 64 }),
  events: texts('The events that it receives.'),
  mayAsk: T.Array(
    record('AskedScope', 'A scope that a mini-app can request from members.', {
      scope: text('The scope.'),
      description: text('What it allows.'),
    }),
    { description: 'The scopes it can request from each member. Members can refuse.', maxItems: 200 },
  ),
  settings: OpenObject,
});
type InstalledApp = ValueOf<typeof InstalledApp>;

type Named = { communityId: string; appId: string };

export async function getInstalledApp(
  ctx: Pick<Context, 'db' | 'tx'>,
  { communityId, appId }: Named,
): Promise<InstalledApp> {
  const installed = await ctx.tx(async (tx) => {
    const { id } = await getCommunity(tx, communityId);
    return selectInstalledApp(tx, id, appId);
  });
  if (installed === undefined) throw notFound('mini-app');
  const { system } = ctx.db;
  const app = await selectMiniApp(system, appId);
  const [installer] = await selectMembers(system, installed.community_id, [installed.admin_id]);
  const { manifest } = installed;
  return {
    appId,
    name: manifest.name,
    ...(app !== undefined && { developer: await findOrganizationName(system, app.organization_id) }),
    isSuspended: app !== undefined && app.status !== 'LISTED',
    installedTime: installed.installed_at.toISOString(),
    installedBy: installed.admin_id,
    ...(installer?.user_name != null && { installedByName: installer.user_name }),
    installedVersion: installed.installed_version,
    commands: (app?.profile?.commands ?? []).map(({ name }) => name).filter((name) => typeof name === 'string'),
    context: [...(app?.profile?.requiredContext ?? [])],
    events: manifest.webhookUrl === undefined ? [] : (manifest.subscribedEvents ?? []),
    mayAsk: await scopesOf(ctx, app),
    settings: installed.metadata,
  };
}

/** Returns the scopes that the operator granted to a mini-app's application. */
async function scopesOf(ctx: Pick<Context, 'db'>, app: MiniAppRow | undefined): Promise<InstalledApp['mayAsk']> {
  const clientId = app?.profile?.manifest.clientId;
  const found = clientId === undefined ? undefined : await findClientRef(ctx.db.pool, clientId);
  const allowed = found?.organizationId === app?.organization_id ? (found?.client.allowedScopes ?? []) : [];
  return describeScopes(
    ctx,
    allowed.filter((scope) => scope === '$all' || !scope.startsWith('$')),
  );
}

/** Replaces the settings of a mini-app in a community. It gets them with the next command or button press. */
export async function setInstalledAppSettings(
  ctx: Pick<Context, 'tx'>,
  { communityId, appId, body }: Named & { body: Record<string, unknown> },
): Promise<void> {
  await ctx.tx(async (tx) => {
    const { id } = await getCommunity(tx, communityId);
    if (!(await updateAppSettings(tx, id, appId, body))) throw notFound('mini-app');
  });
}

const params = {
  communityId: communityParam,
  appId: T.String({ description: 'The id of the mini-app.', minLength: 1, maxLength: 100 }),
};

export const installationOperations = [
  op(
    'GET /latchkey/communities/{communityId}/apps/{appId}',
    {
      id: 'getInstalledApp',
      summary: 'Get an installed mini-app',
      description:
        'Returns a mini-app as the community has installed it: who installed it, its commands, the context and events it receives, the scopes it can request from members, and its settings. For community admins, signed in to this server; no scope grants it.',
      access: communityAdmin('communityId'),
      params,
      returns: InstalledApp,
    },
    getInstalledApp,
  ),
  op(
    'PUT /latchkey/communities/{communityId}/apps/{appId}/settings',
    {
      id: 'setInstalledAppSettings',
      summary: 'Set a mini-app’s settings',
      description:
        'Replaces the settings of a mini-app in a community without reinstalling it. A mini-app that lists installationMetadata in its requiredContext receives them with each command and button press. For community admins, signed in to this server; no scope grants it.',
      audit: 'community.app-change',
      access: confirmedCommunityAdmin('communityId'),
      params,
      body: OpenObject,
      readAt: '/latchkey/communities/{communityId}/apps/{appId}',
      returns: NoContent,
      errors: ['VALIDATION_FAILED'],
    },
    setInstalledAppSettings,
  ),
] as const;
