import { askOutside } from './steps/ask-outside.ts';
import { authenticate } from './steps/authenticate.ts';
import { limitRate } from './steps/limit-rate.ts';
import { parseInput } from './steps/parse-input.ts';
import { requireAdmission } from './steps/require-admission.ts';
import { requireOrigin } from './steps/require-origin.ts';
import { requirePlanScopes } from './steps/require-plan-scopes.ts';
import { requireScopes } from './steps/require-scopes.ts';
import { runVerb } from './steps/run-verb.ts';
import type { Step } from './visit.ts';

/**
 * The steps of every request. A step either returns or throws the error that ends the request; the route writes the
 * response by the operation's schema. Unauthorized callers are refused before their body is read.
 */
export const beforeBody: readonly Step[] = [authenticate, requireOrigin, limitRate, requireScopes, requirePlanScopes];
export const afterBody: readonly Step[] = [parseInput, requireAdmission, askOutside, runVerb];
