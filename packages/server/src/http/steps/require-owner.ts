import { contextFor } from '@latchkey/core';
import { notFound, owns } from '@latchkey/kernel';
import type { Server, Visit } from '../visit.ts';

/** To a stranger an object does not exist: the answer is the same as for an id that never was. */
export async function requireOwner(visit: Visit, server: Server): Promise<void> {
  const { owner } = visit.operation.contract.access;
  if (owner === undefined) return;
  const find = owner.find as (ctx: unknown, id: string) => Promise<string | undefined>;
  const ownerId = await find(contextFor(server.platform, visit.actor), String(visit.input[owner.param]));
  if (!owns(visit.actor, ownerId)) throw notFound(owner.what);
}
