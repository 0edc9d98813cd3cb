import { strict as assert } from 'node:assert';
import type { Operation } from '@latchkey/kernel';
import { served } from '../harness/served.ts';
import { billingFacts } from './billing.ts';
import { communitiesFacts } from './communities.ts';
import { developersFacts } from './developers.ts';
import { gatingFacts } from './gating.ts';
import { identityFacts } from './identity.ts';
import { linkingFacts } from './linking.ts';
import { nearFacts } from './near.ts';
import { operatorFacts } from './operator.ts';
import { partnersFacts } from './partners.ts';
import { servicesFacts } from './services.ts';
import { surfacesFacts } from './surfaces.ts';

/** What the tests of the whole API need to know about an operation beyond its contract. */
export interface OperationFacts {
  /** Why a POST accepts no Idempotency-Key. */
  needsNoKey?: string;
  /** The body fields that the caller controls, separated by spaces. The server sets all others. */
  senderDecides?: string;
  /** Why the caller controls the whole body. */
  freeBody?: string;
  /** Ids in a request that belong to no user, each with the reason. */
  idsOfNobody?: Readonly<Record<string, string>>;
  /** Values for parameters and fields that cannot be derived from the schema. */
  samples?: Readonly<Record<string, string>>;
}

const tables = [
  billingFacts,
  communitiesFacts,
  developersFacts,
  gatingFacts,
  identityFacts,
  linkingFacts,
  nearFacts,
  operatorFacts,
  partnersFacts,
  servicesFacts,
  surfacesFacts,
];
const facts = new Map(tables.flatMap((table) => Object.entries(table)));

// Otherwise, an entry that outlives its operation would go unnoticed.
const ids = new Set(served.map(({ contract }) => contract.id));
assert.deepEqual(
  [...facts.keys()].filter((id) => !ids.has(id)),
  [],
  'facts about operations that do not exist',
);

export function factsOf({ contract }: Pick<Operation, 'contract'>): OperationFacts {
  return facts.get(contract.id) ?? {};
}
