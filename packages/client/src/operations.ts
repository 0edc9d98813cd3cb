import type { Api } from '@latchkey/core';
import type { OperationsOf } from './infer.ts';

/*
 * Inside the repository, types are inferred from the server's own operations. `npm run pack` replaces this file with one
 * generated from them, since users of the published package do not have the server.
 */

/** Every operation by its route: what a call takes and what it returns. */
export type Operations = OperationsOf<Api>;

export type { ErrorCode, ErrorStatuses, EventData } from '@latchkey/kernel';

/** Operations that take an Idempotency-Key. */
export const repeatableRoutes: readonly string[] = [];

/** Operations with a form-encoded body. */
export const formRoutes: readonly string[] = [];
