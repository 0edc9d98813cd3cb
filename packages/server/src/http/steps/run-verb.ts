import { auditOf, type Context, contextFor, recordAudit, selectCommunity } from '@latchkey/core';
import type { Tx } from '@latchkey/db';
import { findBrowser } from '../../console/index.ts';
import { runOnce } from '../idempotency.ts';
import type { Server, Visit } from '../visit.ts';

/** Runs the verb; with an Idempotency-Key in one transaction with the record of its answer, or not at all. */
export async function runVerb(visit: Visit, server: Server): Promise<void> {
  const verb = visit.operation.verb as (ctx: unknown, input: unknown) => unknown;
  const origin = { requestId: visit.request.id, address: visit.request.ip };
  const browser = await findBrowser(visit, server);
  const services = { ...server.services, origin, ...(browser !== undefined && { browser }) };
  const communityId = await findCommunityId(visit, server);
  const run = async (joined?: Tx) => {
    const ctx = contextFor(services, visit.actor, joined);
    const answer = await verb(ctx, visit.input);
    await putOnRecord(ctx, visit, communityId);
    return answer;
  };
  visit.answer =
    visit.idempotencyKey === undefined ? await run() : await runOnce(visit, visit.idempotencyKey, server, run);
}

/** What has come about is on record before it is answered. */
async function putOnRecord(ctx: Context, { operation, input }: Visit, communityId?: string): Promise<void> {
  const { audit } = operation.contract;
  if (audit === undefined) return;
  // A slug opens what it names, so it is no name for the record.
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const ids = names.filter((name) => name !== 'slug').map((name) => String(input[name]));
  const entry = auditOf(ctx, audit, { target: ids.at(-1), communityId });
  await ctx.tx((tx) => recordAudit(tx, entry));
}

/** The one id of the community that a recorded operation is about, asked for while it is still there. */
async function findCommunityId({ operation, input }: Visit, { services }: Server): Promise<string | undefined> {
  const { audit, access } = operation.contract;
  if (audit === undefined || access.object?.what !== 'community') return undefined;
  return (await selectCommunity(services.db.system, String(input[access.object.param])))?.id;
}
