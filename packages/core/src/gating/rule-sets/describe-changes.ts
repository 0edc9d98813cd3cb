import { AppError } from '@latchkey/kernel';
import type { Context } from '../../shared/context.ts';
import { readTokenNames } from '../naming/index.ts';
import { assertionSentence, assetsIn, type RuleAssertion, toRows } from '../rule-assertions/index.ts';
import { roleNamer, type rolesOf, sentencesFor } from '../rule-builder/index.ts';
import type { RuleSetDiff } from './diff.ts';
import type { RuleSetChange, WantedRuleSet } from './shapes.ts';

type Roles = Awaited<ReturnType<typeof rolesOf>>;

/** Every difference, in the words that people read. */
export async function describeChanges(
  ctx: Context,
  diff: RuleSetDiff,
  unlisted: WantedRuleSet['unlisted'],
  roles: Roles,
): Promise<RuleSetChange[]> {
  const differing = diff.rules.filter(({ existing, fields }) => existing === undefined || fields.length > 0);
  const asKept = ({ wanted }: RuleSetDiff['rules'][number]) => ({ role_id: wanted.roleId, definition: wanted.body });
  const sentenceOf = await sentencesFor(
    ctx,
    [...differing.flatMap((pair) => [asKept(pair), pair.existing ?? []].flat()), ...diff.unlistedRules],
    roles,
  );
  const goes = unlisted === 'keep' ? ('unlisted' as const) : ('delete' as const);
  const named = (name: unknown) => (typeof name === 'string' && name !== '' ? { name } : {});
  return [
    ...differing.map((pair): RuleSetChange => {
      const { index, wanted, existing, fields } = pair;
      return {
        part: 'rule',
        kind: existing === undefined ? 'create' : 'change',
        index,
        ...named(wanted.body.name),
        roleId: wanted.roleId,
        ...(existing !== undefined && { id: existing.id, before: sentenceOf(existing).sentence, fields }),
        after: sentenceOf(asKept(pair)).sentence,
      };
    }),
    ...diff.unlistedRules.map(
      (row): RuleSetChange => ({
        part: 'rule',
        kind: goes,
        id: row.id,
        ...named(row.definition.name),
        roleId: row.role_id,
        before: sentenceOf(row).sentence,
      }),
    ),
    ...(diff.isReordered ? [{ part: 'order' as const, kind: 'change' as const }] : []),
    ...diff.passes
      .filter(({ existing, fields }) => existing === undefined || fields.length > 0)
      .map(
        ({ index, wanted, existing, fields }): RuleSetChange => ({
          part: 'guest-pass',
          kind: existing === undefined ? 'create' : 'change',
          index,
          name: wanted.name,
          ...(existing !== undefined && { id: existing.id, fields }),
        }),
      ),
    ...diff.unlistedPasses.map(({ id, name }): RuleSetChange => ({ part: 'guest-pass', kind: goes, id, name })),
    ...(await describeAssertions(ctx, diff, goes, roles)),
    ...(diff.settings.length > 0
      ? [{ part: 'settings' as const, kind: 'change' as const, fields: diff.settings }]
      : []),
    ...(diff.brakes.length > 0 ? [{ part: 'brakes' as const, kind: 'change' as const, fields: diff.brakes }] : []),
  ];
}

async function describeAssertions(
  ctx: Context,
  { assertions, unlistedAssertions }: RuleSetDiff,
  goes: 'unlisted' | 'delete',
  roles: Roles,
): Promise<RuleSetChange[]> {
  const differing = assertions.filter(({ existing, fields }) => existing === undefined || fields.length > 0);
  const all = [...differing.flatMap(({ wanted, existing }) => [wanted, existing ?? []].flat()), ...unlistedAssertions];
  const rows = new Map(all.map((one) => [one, rowOf(one)]));
  const assets = [...rows.values()].flatMap((row) => (row === undefined ? [] : assetsIn(row)));
  const names = { role: roleNamer(roles), token: await readTokenNames(ctx, assets, { asks: false }) };
  const sentenceOf = (one: RuleAssertion) => {
    const row = rows.get(one);
    return row === undefined ? 'It cannot be read.' : assertionSentence(row, names);
  };
  const described = ({ name, never }: RuleAssertion) => ({ ...(name !== undefined && { name }), roleId: never.role });
  return [
    ...differing.map(({ index, wanted, existing, fields }): RuleSetChange => {
      const change = { part: 'assertion' as const, index, ...described(wanted), after: sentenceOf(wanted) };
      if (existing === undefined) return { ...change, kind: 'create' };
      return { ...change, kind: 'change', before: sentenceOf(existing), fields };
    }),
    ...unlistedAssertions.map(
      (one): RuleSetChange => ({ part: 'assertion', kind: goes, ...described(one), before: sentenceOf(one) }),
    ),
  ];
}

/** One that cannot be read is a problem of the plan, which is reported beside its changes. */
function rowOf(assertion: RuleAssertion) {
  try {
    return toRows([assertion])[0];
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  }
}
