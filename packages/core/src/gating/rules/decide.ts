import { decideAssetLeaf } from './decide-leaf.ts';
import type { DecideInput, Decision, LeafReason, Reason } from './decision.ts';
import { describeComposition, neededPass } from './describe-needed.ts';
import { QueryFailed } from './queries/query-failed.ts';
import { askTraits, type Queries, startQueries } from './queries/start-queries.ts';
import type { CompositionLeaf, Condition, GuestPassLeaf, Leaf, Rule } from './rule.ts';
import type { TraitFilter } from './traits.ts';
import { allOf, anyOf, atLeastOf, not, type Truth, truthOf } from './truth.ts';

/**
 * Decides a rule for a member by what was read. What is missing in `answers` is unknown, and unknown decides nothing
 * unless the other parts of the rule leave no choice. Rules of one request share `queries`, and are best decided at the
 * same time: what they ask goes out together.
 */
export async function decide(
  rule: Pick<Rule, 'condition'>,
  input: DecideInput,
  queries: Queries = startQueries(input.now),
): Promise<Decision> {
  const reason = await decideCondition(rule.condition, input, queries);
  return { truth: reason.truth, reason };
}

async function decideCondition(condition: Condition, input: DecideInput, queries: Queries): Promise<Reason> {
  switch (condition.kind) {
    case 'and':
    case 'or':
    case 'at-least': {
      const parts = await Promise.all(condition.parts.map((part) => decideCondition(part, input, queries)));
      const truths = parts.map(({ truth }) => truth);
      if (condition.kind === 'at-least') {
        return { kind: 'at-least', truth: atLeastOf(condition.count, truths), count: condition.count, parts };
      }
      return { kind: condition.kind, truth: condition.kind === 'and' ? allOf(truths) : anyOf(truths), parts };
    }
    case 'not': {
      const part = await decideCondition(condition.part, input, queries);
      return { kind: 'not', truth: not(part.truth), parts: [part] };
    }
    default: {
      const reason = await decideLeaf(condition, input, queries);
      return condition.concealed === undefined ? reason : { ...reason, concealed: condition.concealed };
    }
  }
}

async function decideLeaf(leaf: Leaf, input: DecideInput, queries: Queries): Promise<LeafReason> {
  switch (leaf.kind) {
    case 'guest-pass':
      return decideGuestPass(leaf, input, queries);
    case 'composition':
      return decideComposition(leaf, input);
    default:
      return decideAssetLeaf(leaf, input, queries);
  }
}

async function decideGuestPass(
  { label, filter }: GuestPassLeaf,
  { guestPasses }: DecideInput,
  queries: Queries,
): Promise<LeafReason> {
  const leaf = { kind: 'leaf' as const, rule: label, needed: neededPass, readings: [] };
  if (guestPasses === undefined) return { ...leaf, truth: 'unknown', note: 'The guest passes were not read.' };
  try {
    const tokens = guestPasses.map((pass) => passToken(pass, filter));
    const isMet = await askTraits(queries, filter, tokens);
    return { ...leaf, truth: truthOf(isMet), note: `The member holds ${guestPasses.length} guest passes.` };
  } catch (error) {
    if (!(error instanceof QueryFailed)) throw error;
    return { ...leaf, truth: 'unknown', note: error.message };
  }
}

// A pass is one value; whatever a filter calls the trait, this value is meant.
function passToken(pass: string, { filters }: TraitFilter) {
  const types = filters.flatMap(({ traits }) => traits.map(({ type }) => type));
  return { id: pass, amount: '1', metadata: { attributes: types.map((type) => ({ trait_type: type, value: pass })) } };
}

function decideComposition({ label, composition }: CompositionLeaf, { memberRoles }: DecideInput): LeafReason {
  const wanted = Object.entries(composition.condition);
  const needed = describeComposition(composition);
  const leaf = { kind: 'leaf' as const, rule: label, needed, readings: [] };
  if (memberRoles === undefined) return { ...leaf, truth: 'unknown', note: 'The roles of the member were not read.' };
  const truths: Truth[] = wanted.map(([roleId, held]) => truthOf(memberRoles.includes(roleId) === held));
  return { ...leaf, truth: composition.operator === 'and' ? allOf(truths) : anyOf(truths) };
}
