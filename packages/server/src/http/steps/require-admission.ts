import { contextFor } from '@latchkey/core';
import { notFound } from '@latchkey/kernel';
import type { Server, Visit } from '../visit.ts';

/** Refuses callers without access as if the object did not exist: the response is the same as for an unknown id. */
export async function requireAdmission(visit: Visit, server: Server): Promise<void> {
  const { object } = visit.operation.contract.access;
  if (object === undefined) return;
  const admits = object.admits as (ctx: unknown, id: string) => Promise<boolean>;
  const isAdmitted = await admits(contextFor(server.services, visit.actor), String(visit.input[object.param]));
  if (!isAdmitted) throw notFound(object.what);
}
