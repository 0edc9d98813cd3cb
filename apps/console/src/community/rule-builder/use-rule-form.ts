import { useState } from 'react';
import type { Answer } from '../../shared/api/index.ts';
import { isObject } from '../../shared/is-object.ts';
import { type Draft, isSameJson, toDraft, toRule } from './tree/draft.ts';
import { type Fields, newLeaf } from './tree/node.ts';
import { useDraft } from './use-draft.ts';

export type Saved = Answer<'GET /latchkey/communities/{communityId}/rules/{ruleId}'>;
export type Visibility = Saved['visibility'];
/** A rule that was kept for later and has no effect. */
export type SavedDraft = Answer<'GET /latchkey/communities/{communityId}/rule-drafts'>['drafts'][number];

/** The rule on the page, what was saved of it, and whether the two differ. */
export function useRuleForm(
  saved: Saved | undefined,
  startRoleId: string | undefined,
  savedDraft: SavedDraft | undefined,
) {
  const [kept, setKept] = useState(() => {
    const fresh = { type: 'ERC20', ...(startRoleId !== undefined && { roleId: startRoleId }) };
    const { rule = fresh, visibility: shown = 'public' as Visibility } = saved ?? savedDraft ?? {};
    return { rule, visibility: shown, updatedTime: saved?.updatedTime };
  });
  const [visibility, setVisibility] = useState<Visibility>(savedDraft?.visibility ?? kept.visibility);
  const state = useDraft(useState(() => draw(savedDraft?.rule ?? kept.rule))[0]);
  const rule = toRule(state.draft);
  const isChanged = visibility !== kept.visibility || !isSameJson(rule, kept.rule);
  return {
    ...state,
    rule,
    visibility,
    setVisibility,
    isChanged,
    updatedTime: kept.updatedTime,
    /** Notes that the rule is saved as it is on the page. */
    keep: (updatedTime: string) => setKept({ rule: rule ?? {}, visibility, updatedTime }),
    setFrame: (name: string, value: string) =>
      state.edit(({ frame, ...draft }) => ({ ...draft, frame: withField(frame, name, value) }), { typing: name }),
  };
}

export type RuleForm = ReturnType<typeof useRuleForm>;

/** Draws a rule; one that cannot be drawn is a card with its JSON. */
export function draw(rule: Fields): Draft {
  try {
    return toDraft(rule);
  } catch {
    const { name, description, roleId, ...fields } = rule;
    const frame = Object.fromEntries(
      Object.entries({ name, description, roleId }).filter(([, value]) => value !== undefined),
    );
    return { frame, isTree: false, root: newLeaf(isObject(fields) ? fields : {}) };
  }
}

function withField(frame: Fields, name: string, value: string): Fields {
  const { [name]: _, ...others } = frame;
  return value === '' ? others : { ...frame, [name]: value };
}
