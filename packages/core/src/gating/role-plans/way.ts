import { decideMember, gatherFacts } from '../judging/index.ts';
import { touch } from '../touches/index.ts';
import { makePlans } from './make-plan.ts';
import { record } from './record.ts';
import { writeRoles } from './write.ts';

interface Stage {
  stage: string;
  /** The folder beside this one. */
  room: string;
  /** What it is given, what it makes of it, and what it never does. */
  says: string;
  // Each stage takes and gives something else; here they only stand in their order.
  by: (...given: never[]) => unknown;
}

/** The way of every role, from the reason to look at a member to the entry in the ledger. Nothing else leads to a role. */
export const wayOfARole: readonly Stage[] = [
  { stage: 'touch', room: 'touches', says: 'whom to look at; many reasons for one member are one look', by: touch },
  { stage: 'read', room: 'judging', says: 'what they hold: each question once, a chain at one block', by: gatherFacts },
  { stage: 'decide', room: 'judging', says: 'true, false or unknown for each role, with the reason', by: decideMember },
  {
    stage: 'plan',
    room: 'role-plans',
    says: 'only differences; held if it takes much, nothing on unknown',
    by: makePlans,
  },
  {
    stage: 'write',
    room: 'role-plans',
    says: 'within the limits of the platform, read back; a refusal stops only what it is about',
    by: writeRoles,
  },
  { stage: 'record', room: 'role-plans', says: 'who, what, why, at which block; for good', by: record },
];
