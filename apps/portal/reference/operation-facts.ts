import { readFileSync } from 'node:fs';
import { type EventType, errorCodes, type Operation } from '@latchkey/kernel';

/** What an operation can be refused with, and what to do about it. */
interface ErrorAdvice {
  code: string;
  status: number;
  meaning: string;
  advice: string;
}

/** What the description of the API does not say of an operation. */
export interface OperationFacts {
  /** What the operation is about, which must be the caller's. */
  object: { param: string; what: string } | undefined;
  /** The codes beyond those that every operation can answer with. */
  errors: ErrorAdvice[];
  /** The events that a success can cause. */
  events: readonly EventType[];
}

const manual = new URL('../../../docs/error-codes.md', import.meta.url);

/** What each operation causes, by its route. Events that no single call causes have no place here. */
export const causedEvents: Readonly<Record<string, readonly EventType[]>> = {
  'PUT /client-apps/{id}': ['client-app.status-changed'],
  'POST /latchkey/operator/applications/{id}/decision': ['client-app.status-changed'],
  'PATCH /client-apps/{clientAppId}/reset-api-key': ['client-app.api-key-reset'],
  'DELETE /client-apps/{id}': ['client-app.deleted'],
  'POST /dev-orgs/verify': ['organization.verified'],
  'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/approve': [
    'change-set.decided',
    'member.role-granted',
    'member.role-revoked',
  ],
  'POST /latchkey/communities/{communityId}/change-sets/{changeSetId}/reject': ['change-set.decided'],
};

export function factsOf({ route, contract }: Pick<Operation, 'route' | 'contract'>): OperationFacts {
  const { object } = contract.access;
  const codes = new Set([...(object === undefined ? [] : (['ENTITY_NOT_FOUND'] as const)), ...(contract.errors ?? [])]);
  return {
    object: object && { param: object.param, what: object.what },
    errors: [...codes].map((code) => {
      const { status, meaning } = errorCodes[code];
      return { code, status, meaning, advice: adviceByStatus().get(status) ?? '' };
    }),
    events: causedEvents[route] ?? [],
  };
}

let advice: ReadonlyMap<number, string> | undefined;

/** The table "What to do about them" of the manual. */
export function adviceByStatus(): ReadonlyMap<number, string> {
  advice ??= new Map(
    [...readFileSync(manual, 'utf8').matchAll(/^\| ([\d, ]+) \| (.+) \|$/gm)].flatMap(([, statuses = '', text = '']) =>
      statuses.split(', ').map((status) => [Number(status), text] as const),
    ),
  );
  return advice;
}
