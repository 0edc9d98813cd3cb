import { auditActions, isAuditAction } from '@latchkey/kernel';
import type { CommunityRow } from '../../../communities/communities/index.ts';
import type { Context } from '../../../context.ts';
import { isErased } from '../../../machinery/erasures/index.ts';
import { type Names, readNames } from '../api/names.ts';
import type { RolePlanRow } from '../tables.ts';
import type { MemberEvent } from './event.ts';
import { selectDeciders } from './queries.ts';
import type { TimelineEntry } from './shapes.ts';

/** Says what happened, with names in the place of ids. */
export async function describeEvents(
  ctx: Context,
  community: CommunityRow,
  member: string,
  events: readonly MemberEvent[],
): Promise<TimelineEntry[]> {
  if (events.length === 0) return [];
  const planIds = events.flatMap((event) => (event.kind === 'role' ? [event.row.plan_id] : []));
  const plans = new Map((await selectDeciders(ctx.db.system, planIds)).map((plan) => [plan.id, plan]));
  const people = events.map((event) => personOf(event, plans)).filter((person) => person !== undefined);
  const names = await readNames(ctx, community, [member, ...people]);
  return events.map((event) => describe(event, personOf(event, plans), member, names));
}

type Plans = ReadonlyMap<string, Pick<RolePlanRow, 'decided_by'>>;

function personOf(event: MemberEvent, plans: Plans): string | undefined {
  switch (event.kind) {
    case 'role':
      return plans.get(event.row.plan_id)?.decided_by ?? undefined;
    case 'audit':
      return event.row.who;
    default:
      return event.by;
  }
}

function describe(event: MemberEvent, person: string | undefined, member: string, names: Names): TimelineEntry {
  const entry = {
    id: event.id,
    time: event.at.toISOString(),
    by: person === undefined || person === member ? undefined : called(person, names),
  };
  switch (event.kind) {
    case 'role': {
      const { row } = event;
      const role = names.roleName(row.role_id) ?? row.role_id;
      const isGiven = row.action === 'grant';
      return {
        ...entry,
        kind: isGiven ? 'role-given' : 'role-taken',
        text: isGiven ? `Got the role ${role}` : `Lost the role ${role}`,
        planId: row.plan_id,
        ...names.words(row.user_id, row.reason),
        blocks: Object.entries(row.blocks).map(([chain, block]) => ({ chain, block: String(block) })),
      };
    }
    case 'audit':
      return { ...entry, kind: 'action', text: actionInWords(event.row.action), words: [], lines: [] };
    default:
      return { ...entry, ...event.entry, words: [], lines: [] };
  }
}

function called(person: string, names: Names): string {
  if (isErased(person)) return 'a deleted account';
  return names.userName(person) ?? (person.startsWith('$') ? 'the operator' : person.replace(/^[A-Z]+#USER#/, ''));
}

/** An action of the audit log in words. */
function actionInWords(action: string): string {
  return isAuditAction(action) ? auditActions[action].replace(/\.$/, '') : action;
}
