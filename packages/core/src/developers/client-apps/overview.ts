import {
  choice,
  findScope,
  isScope,
  notFound,
  record,
  type Scope,
  scopes,
  T,
  text,
  type ValueOf,
} from '@latchkey/kernel';
import type { Context } from '../../context.ts';
import { findEndpoints } from '../webhooks/index.ts';
import { clientAppStatuses } from './client-app.ts';
import { findApp, type StoredClientApp } from './queries.ts';

const time = (description: string) => T.Optional(text(`${description}, as an ISO 8601 time.`, { maxLength: 32 }));

const ScopeState = record('ClientAppScope', 'A scope, and how an application stands to it.', {
  scope: text('The name of the scope.', { maxLength: 64 }),
  group: text('The group the scope belongs to.', { maxLength: 64 }),
  description: text('What the scope allows.', { maxLength: 500 }),
  isRequested: T.Boolean({ description: 'Whether the application asked for it.' }),
  state: choice('granted: it can be used; closed: the operator ruled it out; none: it was not granted.', [
    'granted',
    'closed',
    'none',
  ]),
});

export const ClientAppOverview = record(
  'ClientAppOverview',
  'What the owner of an application has to know of its key, its scopes and its webhook.',
  {
    status: choice('The status of the application.', clientAppStatuses),
    keyCreatedAt: text('When the present API key was made, as an ISO 8601 time.', { maxLength: 32 }),
    oldKeyEndsAt: time('When the replaced API key stops working; absent when none works any more'),
    scopes: T.Array(ScopeState, { description: 'Every scope that can be requested.', maxItems: 100 }),
    webhookDisabledAt: time('Since when events are no longer sent; absent while they are'),
    webhookDisabledReason: T.Optional(text('Why events are no longer sent.', { maxLength: 2000 })),
    oldSigningKeyEndsAt: time('Until when messages are signed with the replaced webhook secret too'),
  },
);
export type ClientAppOverview = ValueOf<typeof ClientAppOverview>;

export async function getClientAppOverview(
  ctx: Pick<Context, 'clock' | 'tx'>,
  { id }: { id: string },
): Promise<ClientAppOverview> {
  return ctx.tx(async (tx) => {
    const app = await findApp(tx, id);
    if (app === undefined) throw notFound('client application');
    const endpoint = (await findEndpoints(tx, [id])).get(id);
    const now = ctx.clock();
    return {
      status: app.status,
      keyCreatedAt: (app.api_key_made_at ?? app.created_at).toISOString(),
      oldKeyEndsAt: ifLater(app.old_api_key_ends_at, now),
      scopes: requestable.map((scope) => stateOf(app, scope)),
      webhookDisabledAt: endpoint?.disabledAt?.toISOString(),
      webhookDisabledReason: endpoint?.disabledReason,
      oldSigningKeyEndsAt: ifLater(endpoint?.oldSecretEndsAt, now),
    };
  });
}

const requestable: readonly Scope[] = Object.keys(scopes)
  .filter(isScope)
  .filter((scope) => !scope.startsWith('$'));

function stateOf(app: StoredClientApp, scope: Scope) {
  const names = (list: readonly string[]) => list.some((name) => findScope(name) === scope || name === '$all');
  const isGranted = names(app.allowed_scopes);
  const isClosed = names(app.disallowed_scopes);
  return {
    scope,
    group: scopes[scope].group,
    description: scopes[scope].description,
    isRequested: app.requested_scopes.includes(scope),
    state: isClosed ? ('closed' as const) : isGranted ? ('granted' as const) : ('none' as const),
  };
}

function ifLater(time: Date | null | undefined, now: Date): string | undefined {
  return time && time > now ? time.toISOString() : undefined;
}
