import { readFileSync } from 'node:fs';
import { type EventType, errorCodes, type Operation } from '@latchkey/kernel';

/** The errors of an operation, and what to do about them. */
interface ErrorAdvice {
  code: string;
  status: number;
  meaning: string;
  advice: string;
}

/** What the API description does not say about an operation. */
export interface OperationFacts {
  /** The object of the operation, to which the caller needs access. */
  object: { param: string; what: string } | undefined;
  /** The codes besides those of every operation. */
  errors: ErrorAdvice[];
  /** The events that a success can cause. */
  events: readonly EventType[];
}

const manual = new URL('../../../docs/error-codes.md', import.meta.url);

/** The events of each operation, by its route. Events that no single call causes are not listed. */
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
      return { code, status, meaning, advice: adviceByCode().get(code) ?? '' };
    }),
    events: causedEvents[route] ?? [],
  };
}

let advice: ReadonlyMap<string, string> | undefined;

/** The table "What to do about each code" of the manual. */
export function adviceByCode(): ReadonlyMap<string, string> {
  advice ??= new Map(
    [...readFileSync(manual, 'utf8').matchAll(/^\| `([A-Z_]+)` \| ([^|]+) \|$/gm)].map(
      ([, code = '', text = '']) => [code, text] as const,
    ),
  );
  return advice;
}
