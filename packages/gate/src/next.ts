import type { Gate } from './gate.ts';
import { describeHolder, type GuardOptions, guard } from './guard.ts';
import type { Verdict } from './verdict.ts';

/** A route handler that also receives the verdict. */
export type GatedHandler<Req extends Request, Ctx> = (
  request: Req,
  context: Ctx & { holder: Verdict },
) => Response | Promise<Response>;

/** Wraps a Next.js route handler, or any other that takes a Request: `export const GET = nextGate(gate, { visitor }, handler)`. */
export function nextGate<Req extends Request, Ctx extends object = object>(
  gate: Gate,
  options: GuardOptions<Req>,
  handler: GatedHandler<Req, Ctx>,
) {
  return async (request: Req, context: Ctx): Promise<Response> => {
    const outcome = await guard(gate, options, request, request.headers.get('accept'));
    if (outcome.refusal === undefined) return handler(request, { ...context, holder: outcome.holder });
    const { status, headers, body } = outcome.refusal;
    return new Response(status === 302 ? null : body, { status, headers });
  };
}

/** A route handler for the URL that `HolderProvider` reads: `export const GET = nextHolder(gate, { visitor })`. */
export function nextHolder<Req extends Request>(gate: Gate, { visitor }: GuardOptions<Req>) {
  return async (request: Req): Promise<Response> =>
    Response.json(await describeHolder(gate, await visitor(request)), { headers: { 'cache-control': 'no-store' } });
}
