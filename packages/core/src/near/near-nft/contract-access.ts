import { type Access, app, guarded, owns } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { makerOf } from './change-contract.ts';

/** Grants access to the creator of the contract in `param`: a user or a client application. */
export function ownContract(param: string, kind: 'token' | 'market'): Access<Context> {
  return guarded<Context>(app(), param, `${kind} contract`, async (ctx, address) =>
    owns(ctx.actor, await makerOf(ctx, address, kind)),
  );
}
