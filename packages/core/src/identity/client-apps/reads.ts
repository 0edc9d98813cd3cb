import { notFound, type Page, principalId } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { type PageRequest, paginate } from '../../shared/paging.ts';
import { ownOrganization } from '../organizations/index.ts';
import type { ClientApplication, ClientAppStatus } from './client-app.ts';
import {
  type AppSearch,
  findApp,
  listAppsByStatus,
  listAppsOfOrganization,
  listAppsOfOwner,
  searchApps,
} from './queries.ts';
import { assertOperator } from './status.ts';
import { getRecord, getRecords } from './to-record.ts';

type ReadContext = Pick<Context, 'actor' | 'tx'>;

const maxListed = 1000;

/** Returns the owner of an application, before the caller's access to it is checked. */
export async function ownerOfClientApp(ctx: Pick<Context, 'db'>, id: string): Promise<string | undefined> {
  return (await findApp(ctx.db.system, id))?.created_by_id;
}

export async function findOwn(
  ctx: ReadContext & Pick<Context, 'clock' | 'keyring' | 'random'>,
  request: PageRequest,
): Promise<Page<ClientApplication>> {
  const ownerId = principalId(ctx.actor);
  return ctx.tx(async (tx) => {
    const page = await paginate(ctx, request, {
      list: 'client-apps',
      read: (after, limit) => listAppsOfOwner(tx, ownerId, after, limit),
      cursorOf: ({ created_at, id }) => [created_at.toISOString(), id],
    });
    return { ...page, items: await getRecords(tx, page.items) };
  });
}

export async function getById(ctx: ReadContext, { id }: { id: string }): Promise<ClientApplication> {
  return ctx.tx(async (tx) => {
    const app = await findApp(tx, id);
    if (app === undefined) throw notFound('client application');
    return getRecord(tx, app);
  });
}

export async function listOfOrganization(
  ctx: ReadContext,
  { organizationId }: { organizationId: string },
): Promise<ClientApplication[]> {
  return ctx.tx(async (tx) => {
    const { id } = await ownOrganization(ctx, tx, organizationId);
    return getRecords(tx, await listAppsOfOrganization(tx, id, maxListed));
  });
}

/** Lists every application of the installation for the operator, newest first. */
export async function listClientApps(
  ctx: ReadContext,
  { status }: { status?: ClientAppStatus | undefined } = {},
): Promise<ClientApplication[]> {
  assertOperator(ctx.actor);
  return ctx.tx(async (tx) => getRecords(tx, await listAppsByStatus(tx, status, maxListed)));
}

/** Returns a page of all applications for the operator, newest first. */
export async function pageOfClientApps(
  ctx: ReadContext & Pick<Context, 'clock' | 'keyring' | 'random'>,
  { status, search, ...request }: PageRequest & AppSearch,
): Promise<Page<ClientApplication>> {
  assertOperator(ctx.actor);
  return ctx.tx(async (tx) => {
    const page = await paginate(ctx, request, {
      list: `all-client-apps:${JSON.stringify([status ?? null, search ?? null])}`,
      read: (after, limit) => searchApps(tx, { status, search }, after, limit),
      cursorOf: ({ created_at, id }) => [created_at.toISOString(), id],
    });
    return { ...page, items: await getRecords(tx, page.items) };
  });
}
