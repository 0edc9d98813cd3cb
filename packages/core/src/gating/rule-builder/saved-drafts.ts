import { asJson, type Sql } from '@latchkey/db';
import { AppError, NoContent, notFound, op, record, T, text, type ValueOf } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { lockOwnCommunity } from '../../communities/community-records/index.ts';
import type { RuleVisibility } from '../../communities/rule-records/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { draft, visibility } from './shapes.ts';
import { rolesOf, sentencesFor } from './words.ts';

interface DraftRow {
  id: string;
  community_id: string;
  rule_id: string | null;
  definition: Record<string, unknown>;
  visibility: RuleVisibility;
  created_at: Date;
  updated_at: Date;
}

declare module '@latchkey/db/tables' {
  interface Tables {
    rule_drafts: DraftRow;
  }
}

const mostDrafts = 100;
const longestDraft = 65_536;

const SavedDraft = record('SavedDraft', 'A rule that is kept for later and has no effect.', {
  id: text('The id of the draft.'),
  ruleId: T.Optional(text('The rule that it would change; absent for a new rule.')),
  sentence: text('What the rule asks for, in one sentence.', { maxLength: 100_000 }),
  problem: T.Optional(text('Why the rule cannot be read; absent when it can.', { maxLength: 100_000 })),
  visibility,
  rule: draft,
  createdTime: text('When it was first saved, in ISO 8601.'),
  updatedTime: text('When it was last saved, in ISO 8601.'),
});
type SavedDraft = ValueOf<typeof SavedDraft>;

const SavedDraftList = record('SavedDraftList', 'The drafts of a community.', {
  drafts: T.Array(SavedDraft, { description: 'The newest first.', maxItems: mostDrafts }),
});

const DraftToSave = record('DraftToSave', 'A rule to keep for later.', {
  rule: draft,
  visibility: T.Optional(visibility),
  ruleId: T.Optional(text('The rule that it would change.', { minLength: 1, maxLength: 700 })),
  draftId: T.Optional(text('The draft to overwrite; omit it to save a new one.', { minLength: 1, maxLength: 64 })),
});

export const savedDraftOperations = [
  op(
    'GET /latchkey/communities/{communityId}/rule-drafts',
    {
      id: 'listRuleDrafts',
      summary: 'List drafts of rules',
      description: `Returns the drafts of a community, newest first, each as a sentence. A community can have ${mostDrafts}. For community admins.`,
      access: communityAdmin('communityId', 'community:read'),
      params: { communityId: communityParam },
      returns: SavedDraftList,
    },
    listRuleDrafts,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rule-drafts',
    {
      id: 'saveRuleDraft',
      summary: 'Save a rule as a draft',
      description:
        'Keeps a rule without any effect, also one that cannot be decided on this server yet. `POST /latchkey/communities/{communityId}/rule-drafts/describe` shows what prevents it from being saved as a rule. For community admins.',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam },
      body: DraftToSave,
      returns: record('SavedDraftId', 'A draft that was saved.', { id: text('The id of the draft.') }),
      errors: ['PLAN_LIMIT_REACHED', 'VALIDATION_FAILED'],
      repeatable: true,
    },
    saveRuleDraft,
  ),
  op(
    'DELETE /latchkey/communities/{communityId}/rule-drafts/{draftId}',
    {
      id: 'deleteRuleDraft',
      summary: 'Delete a draft of a rule',
      description: 'Deletes a draft. Rules are not affected. For community admins.',
      access: confirmedCommunityAdmin('communityId', 'community:write'),
      params: { communityId: communityParam, draftId: text('The id of the draft.', { minLength: 1, maxLength: 64 }) },
      returns: NoContent,
    },
    deleteRuleDraft,
  ),
] as const;

export async function listRuleDrafts(
  ctx: Context,
  { communityId }: { communityId: string },
): Promise<ValueOf<typeof SavedDraftList>> {
  const community = await ownCommunity(ctx, communityId);
  const rows = await selectDrafts(ctx.db.system, community.id);
  const kept = rows.map((row) => ({ role_id: roleIn(row.definition), definition: row.definition }));
  const sentenceOf = await sentencesFor(ctx, kept, await rolesOf(ctx, community));
  const drafts = rows.map((row, index): SavedDraft => {
    const rule = kept[index] ?? { role_id: '', definition: row.definition };
    return {
      id: row.id,
      ruleId: row.rule_id ?? undefined,
      ...sentenceOf(rule),
      visibility: row.visibility,
      rule: row.definition,
      createdTime: row.created_at.toISOString(),
      updatedTime: row.updated_at.toISOString(),
    };
  });
  return { drafts };
}

function roleIn({ roleId }: Record<string, unknown>): string {
  return typeof roleId === 'string' ? roleId : '';
}

interface ToSave {
  communityId: string;
  body: ValueOf<typeof DraftToSave>;
}

/** Saves a draft even if it is invalid: the admin should not lose work. */
export async function saveRuleDraft(
  ctx: Pick<Context, 'clock' | 'random' | 'tx'>,
  { communityId, body }: ToSave,
): Promise<{ id: string }> {
  const { rule, visibility: shown = 'public', ruleId = null, draftId } = body;
  if (JSON.stringify(rule).length > longestDraft)
    throw new AppError('VALIDATION_FAILED', `A draft can have up to ${longestDraft} characters.`, {
      details: [{ path: '/rule', code: 'maxLength', message: 'The draft is too long.' }],
    });
  const now = ctx.clock();
  return ctx.tx(async (tx) => {
    const { id: community_id } = await lockOwnCommunity(tx, communityId);
    const values = { definition: asJson(rule), visibility: shown, rule_id: ruleId, updated_at: now };
    if (draftId !== undefined) {
      const { numUpdatedRows } = await tx
        .updateTable('rule_drafts')
        .set(values)
        .where('community_id', '=', community_id)
        .where('id', '=', draftId)
        .executeTakeFirst();
      if (numUpdatedRows === 0n) throw notFound('draft');
      return { id: draftId };
    }
    if ((await selectDrafts(tx, community_id)).length >= mostDrafts)
      throw new AppError('PLAN_LIMIT_REACHED', `A community can have at most ${mostDrafts} drafts. Delete one first.`);
    const id = ctx.random.id();
    await tx
      .insertInto('rule_drafts')
      .values({ id, community_id, created_at: now, ...values })
      .execute();
    return { id };
  });
}

export async function deleteRuleDraft(
  ctx: Pick<Context, 'tx'>,
  { communityId, draftId }: { communityId: string; draftId: string },
): Promise<void> {
  await ctx.tx(async (tx) => {
    const { id: community_id } = await lockOwnCommunity(tx, communityId);
    const { numDeletedRows } = await tx
      .deleteFrom('rule_drafts')
      .where('community_id', '=', community_id)
      .where('id', '=', draftId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw notFound('draft');
  });
}

function selectDrafts(db: Sql, communityId: string): Promise<DraftRow[]> {
  return db
    .selectFrom('rule_drafts')
    .selectAll()
    .where('community_id', '=', communityId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(mostDrafts)
    .execute();
}
