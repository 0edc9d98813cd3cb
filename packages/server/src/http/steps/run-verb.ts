import { auditOf, type Context, contextFor, recordAudit } from '@latchkey/core';
import type { Tx } from '@latchkey/db';
import { runOnce } from '../idempotency.ts';
import type { Server, Visit } from '../visit.ts';

/** Runs the verb; with an Idempotency-Key in one transaction with the record of its answer, or not at all. */
export async function runVerb(visit: Visit, server: Server): Promise<void> {
  const verb = visit.operation.verb as (ctx: unknown, input: unknown) => unknown;
  const origin = { requestId: visit.request.id, address: visit.request.ip };
  const platform = { ...server.platform, origin };
  const run = async (joined?: Tx) => {
    const ctx = contextFor(platform, visit.actor, joined);
    const answer = await verb(ctx, visit.input);
    await putOnRecord(ctx, visit);
    return answer;
  };
  visit.answer =
    visit.idempotencyKey === undefined ? await run() : await runOnce(visit, visit.idempotencyKey, server, run);
}

/** What has come about is on record before it is answered. */
async function putOnRecord(ctx: Context, { operation, input }: Visit): Promise<void> {
  const { audit } = operation.contract;
  if (audit === undefined) return;
  // A slug opens what it names, so it is no name for the record.
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const ids = names.filter((name) => name !== 'slug').map((name) => String(input[name]));
  const [first] = ids;
  const isInCommunity = operation.path.startsWith('/communities/') && first !== undefined;
  const entry = auditOf(ctx, audit, { target: ids.at(-1), ...(isInCommunity && { communityId: first }) });
  await ctx.tx((tx) => recordAudit(tx, entry));
}
