import { askOutside } from './steps/ask-outside.ts';
import { authenticate } from './steps/authenticate.ts';
import { requireAdmission, requireOrigin, requirePlanScopes, requireScopes } from './steps/authorize.ts';
import { limitRate } from './steps/limit-rate.ts';
import { parseInput } from './steps/parse-input.ts';
import { runVerb } from './steps/run-verb.ts';
import type { Step } from './visit.ts';

/**
 * The steps of every request. A step either returns or throws the error that ends the request; the route writes the
 * response by the operation's schema. Unauthorized callers are refused before their body is read.
 */
export const beforeBody: readonly Step[] = [authenticate, requireOrigin, limitRate, requireScopes, requirePlanScopes];
export const afterBody: readonly Step[] = [parseInput, requireAdmission, askOutside, runVerb];
