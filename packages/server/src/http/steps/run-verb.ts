import { contextFor } from '@latchkey/core';
import type { Tx } from '@latchkey/db';
import { runOnce } from '../idempotency.ts';
import type { Server, Visit } from '../visit.ts';

/** Runs the verb; with an Idempotency-Key in one transaction with the record of its answer, or not at all. */
export async function runVerb(visit: Visit, server: Server): Promise<void> {
  const verb = visit.operation.verb as (ctx: unknown, input: unknown) => unknown;
  const run = async (joined?: Tx) => verb(contextFor(server.platform, visit.actor, joined), visit.input);
  visit.answer =
    visit.idempotencyKey === undefined ? await run() : await runOnce(visit, visit.idempotencyKey, server, run);
}
