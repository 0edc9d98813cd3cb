import { contextFor } from '@latchkey/core';
import type { Tx } from '@latchkey/db';
import { traced } from '@latchkey/db/origin';
import { findBrowser } from '../../console/index.ts';
import { runOnce } from '../idempotency.ts';
import type { Server, Visit } from '../visit.ts';
import { findCommunityId, putOnRecord } from './put-on-record.ts';

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
  const { idempotencyKey } = visit;
  visit.answer = await traced(
    () => ({ name: visit.operation.contract.id, kind: 'internal' }),
    () => (idempotencyKey === undefined ? run() : runOnce(visit, idempotencyKey, server, run)),
  );
}
