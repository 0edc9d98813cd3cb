import type { Gate } from './gate.ts';
import { describeHolder, type GuardOptions, guard } from './guard.ts';
import type { Verdict } from './verdict.ts';

declare global {
  namespace Express {
    interface Request {
      /** The verdict, for the handlers behind an `expressGate`. */
      holder?: Verdict;
    }
  }
}

/** The part of Express's request that is needed. Connect and Node's own server have it too. */
export interface ExpressRequest {
  headers: { accept?: string | undefined };
  holder?: Verdict;
}

export interface ExpressResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body?: string): unknown;
}

type Next = (error?: unknown) => void;

/** Middleware for Express: `app.use('/members', expressGate(gate, { visitor: (req: Request) => … }))`; then `req.holder`. */
export function expressGate<Req extends ExpressRequest>(gate: Gate, options: GuardOptions<Req>) {
  return (request: Req, response: ExpressResponse, next: Next): void => {
    guard(gate, options, request, request.headers.accept).then(({ refusal, ...outcome }) => {
      if (refusal === undefined) {
        if ('holder' in outcome) request.holder = outcome.holder;
        next();
        return;
      }
      response.statusCode = refusal.status;
      for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value);
      response.end(refusal.body);
    }, next);
  };
}

/** A handler for the URL that `HolderProvider` reads: `app.get('/api/holder', expressHolder(gate, { visitor }))`. */
export function expressHolder<Req extends ExpressRequest>(gate: Gate, { visitor }: GuardOptions<Req>) {
  return (request: Req, response: ExpressResponse, next: Next): void => {
    Promise.resolve(visitor(request))
      .then((found) => describeHolder(gate, found))
      .then((state) => {
        response.setHeader('content-type', 'application/json');
        response.setHeader('cache-control', 'no-store');
        response.end(JSON.stringify(state));
      }, next);
  };
}
