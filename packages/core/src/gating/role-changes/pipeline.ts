import { enqueueReconcile } from '../../communities/reconcile-queue/index.ts';
import { decideMember, fetchFacts } from '../evaluation/index.ts';
import { writeRoles } from './applying/write.ts';
import { record } from './ledger/record.ts';
import { makeChangeSets } from './planning/make-change-set.ts';

interface Stage {
  stage: string;
  /** The module that implements it. */
  module: string;
  /** Its input, its output, and what it never does. */
  says: string;
  // Each stage takes and returns something different; here they are only listed in order.
  by: (...given: never[]) => unknown;
}

/**
 * The stages of reconciling roles, from the reason to check a member to the ledger entry. Nothing else changes a role.
 */
export const reconcilePipeline: readonly Stage[] = [
  {
    stage: 'enqueue',
    module: 'reconcile-queue',
    says: 'which members need reconciling; many reasons, one entry',
    by: enqueueReconcile,
  },
  {
    stage: 'fetch',
    module: 'evaluation',
    says: 'what they hold: each balance is read once, and each chain at one block',
    by: fetchFacts,
  },
  {
    stage: 'evaluate',
    module: 'evaluation',
    says: 'true, false or unknown for each role, with the reason',
    by: decideMember,
  },
  {
    stage: 'plan',
    module: 'role-changes',
    says: 'differences only; large removals are held, and unknown results change nothing',
    by: makeChangeSets,
  },
  {
    stage: 'apply',
    module: 'role-changes',
    says: 'within platform rate limits, then read back; an error blocks only the affected role',
    by: writeRoles,
  },
  { stage: 'record', module: 'role-changes', says: 'who, what, why and at which block; kept forever', by: record },
];
