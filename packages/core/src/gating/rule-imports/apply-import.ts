import { AppError, notFound } from '@latchkey/kernel';
import { insertNewRule, refuseBadRule, selectRules } from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { ownCommunity } from '../role-plans/index.ts';
import { describeImport, readRoles } from './describe-import.ts';
import { refused } from './fetch-original.ts';
import { type EntryRow, lockEntry, selectEntries, selectImport, updateEntry } from './queries.ts';
import { signOf, signsOf } from './same-rule.ts';
import type { RuleImport } from './shapes.ts';

interface Applied {
  communityId: string;
  importId: string;
  body?: { positions?: readonly number[] | undefined } | undefined;
}

/**
 * Makes rules of the entries that an admin chose, each in a transaction of its own: what is refused stops only itself, and
 * a second run goes on where the first one ended.
 */
export async function applyRuleImport(ctx: Context, { communityId, importId, body }: Applied): Promise<RuleImport> {
  const community = await ownCommunity(ctx, communityId);
  const row = await selectImport(ctx.db.system, community.id, importId);
  if (row === undefined) throw notFound('import');
  const entries = await selectEntries(ctx.db.system, [row.id]);
  const { positions } = body ?? {};
  const unknown = positions?.find((position) => !entries.some((entry) => entry.position === position));
  if (unknown !== undefined) throw refused('/positions', `The import has no entry ${unknown}.`);
  const wanted = entries.filter(
    ({ state, position }) => (state === 'ready' || state === 'refused') && (positions?.includes(position) ?? true),
  );
  for (const entry of wanted) await switchOn(ctx, entry);
  return describeImport(ctx, row, await selectEntries(ctx.db.system, [row.id]), await readRoles(ctx, community));
}

async function switchOn(ctx: Context, { import_id, position, community_id, definition }: EntryRow): Promise<void> {
  if (definition === null) return;
  try {
    await refuseBadRule(ctx, { id: community_id, body: definition });
    await ctx.tx(async (tx) => {
      const entry = await lockEntry(tx, import_id, position);
      if (entry?.definition == null || entry.role_id === null || entry.rule_id !== null) return;
      const present = signsOf(await selectRules(tx, community_id)).get(signOf(entry.role_id, entry.definition));
      if (present !== undefined) return updateEntry(tx, entry, { state: 'present', problem: null, rule_id: present });
      const { id } = await insertNewRule(
        { actor: ctx.actor, clock: ctx.clock, tx: (work) => work(tx) },
        { id: community_id, body: entry.definition, visibility: entry.visibility },
      );
      await updateEntry(tx, entry, { state: 'imported', problem: null, rule_id: id });
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'UNAVAILABLE') throw error;
    const problem = error.message;
    await ctx.tx((tx) => updateEntry(tx, { import_id, position }, { state: 'refused', problem, rule_id: null }));
  }
}
