import type { Gate } from './gate.ts';
import { type GuardOptions, guard } from './guard.ts';

/** The part of Hono's context that is needed. */
export interface HonoContextLike {
  req: { header(name: string): string | undefined };
  set(name: 'holder', value: unknown): void;
}

/** Middleware for Hono: `app.use('/members/*', honoGate(gate, { visitor: (c) => … }))`; then `c.get('holder')`. */
export function honoGate<Ctx extends HonoContextLike>(gate: Gate, options: GuardOptions<Ctx>) {
  return async (context: Ctx, next: () => Promise<void>): Promise<Response | undefined> => {
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
