import type { Context, Env, MiddlewareHandler } from 'hono';
import type { Gate } from './gate.ts';
import { type GuardOptions, guard } from './guard.ts';
import type { Verdict } from './verdict.ts';

declare module 'hono' {
  interface ContextVariableMap {
    /** The verdict, for the handlers behind a `honoGate`. */
    holder: Verdict;
  }
}

/** Middleware for Hono: `app.use('/members/*', honoGate<Env>(gate, { visitor: (c) => … }))`; then `c.get('holder')`. */
export function honoGate<E extends Env>(gate: Gate, options: GuardOptions<Context<E>>): MiddlewareHandler<E> {
  return async (context, next) => {
    const outcome = await guard(gate, options, context, context.req.header('accept'));
    if (outcome.refusal !== undefined) {
      const { status, headers, body } = outcome.refusal;
      return new Response(status === 302 ? null : body, { status, headers });
    }
    context.set('holder', outcome.holder);
    await next();
    return undefined;
  };
}
