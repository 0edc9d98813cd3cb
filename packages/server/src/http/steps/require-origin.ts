import { AppError, mayCallFrom, mayCallFromAnywhere, type PageCaller } from '@latchkey/kernel';
import { isFromElsewhere } from '../../console/index.ts';
import { originKindOf, pageCallerOf } from '../origins.ts';
import type { Server, Visit } from '../visit.ts';

/** Refuses a credential on a page that it may not be used on, by the table `callingPages`. */
export function requireOrigin(visit: Visit, server: Server): Promise<void> | undefined {
  const caller = pageCallerOf(visit);
  if (caller === 'console' && isFromElsewhere(visit.request)) throw foreignPage(caller);
  if (visit.request.headers.origin === undefined || mayCallFromAnywhere(caller)) return undefined;
  return refuseForeignPage(caller, visit, server);
}

async function refuseForeignPage(caller: PageCaller, visit: Visit, server: Server): Promise<void> {
  if (mayCallFrom(caller, await originKindOf(visit, server))) return;
  throw foreignPage(caller);
}

function foreignPage(caller: PageCaller): AppError {
  return new AppError('CLIENT_NOT_ALLOWED', refusals[caller] ?? 'Calls from this origin are not accepted.');
}

const refusals: Readonly<Partial<Record<PageCaller, string>>> = {
  'restricted-application':
    'This client application does not accept calls from this origin. Its owner can add it to allowedOrigins.',
  person:
    'No approved client application lists this origin in allowedOrigins. Register it, or send an API key with the token.',
  operator: 'The operator’s key is accepted only from pages of this server and its documentation portal.',
  console: 'The console session is accepted only from pages of this server.',
};
