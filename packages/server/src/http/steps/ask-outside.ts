import { contextFor } from '@latchkey/core';
import type { Server, Visit } from '../visit.ts';

/** Runs the external calls of an operation, which must not happen inside its transaction. */
export async function askOutside(visit: Visit, server: Server): Promise<void> {
  const { contract } = visit.operation;
  const before = contract.before as ((ctx: unknown, input: unknown) => Promise<void>) | undefined;
  await before?.(contextFor(server.services, visit.actor), visit.input);
}
