import {
  type Fields,
  fromComposition,
  fromDefinition,
  normalForm,
  type RuleSet,
  type WantedRuleSet,
} from '@latchkey/core/rule-files';
import { isObject } from '@latchkey/kernel';
import { checkFile } from './check-file.ts';
import { compileCommunity, platformRoles, toDuration } from './compile.ts';

/** A rule as a file writes it, and whether it goes among the compositions. */
export interface WrittenRule {
  entry: Fields;
  list: 'rules' | 'compositions';
}

type Tokens = ReadonlyMap<string, Fields>;

/** Describes a community as it is now. Applying the result changes nothing. */
export function writeCommunity(ruleSet: RuleSet, tokens: Tokens): Fields {
  const written = ruleSet.rules.map((_rule, index) => writeRule(ruleSet, index, tokens));
  const of = (list: WrittenRule['list']) => written.filter((one) => one.list === list).map(({ entry }) => entry);
  return {
    community: ruleSet.communityId,
    unlisted: 'delete',
    rules: of('rules'),
    ...(of('compositions').length > 0 && { compositions: of('compositions') }),
    ...writeRest(ruleSet, tokens),
  };
}

/** The parts of a community besides its rules. */
export function writeRest(ruleSet: RuleSet, tokens: Tokens): Fields {
  const { guestPasses, assertions, settings, brakes } = ruleSet;
  const roleName = roleNamer(ruleSet);
  const { roles, ...limits } = brakes;
  return {
    ...(guestPasses.length > 0 && {
      guestPasses: guestPasses.map(({ id: _id, roleIds, periodSeconds, status, ...pass }) => ({
        ...escaped(pass),
        roles: roleIds.map(roleName),
        period: toDuration(periodSeconds),
        ...(status !== 'active' && { status }),
      })),
    }),
    ...(assertions.length > 0 && { never: assertions.map((one) => writeAssertion(ruleSet, one, tokens)) }),
    brakes: {
      ...limits,
      ...(roles.length > 0 && {
        roles: roles.map(({ roleId, approvesGrants, ...own }) => ({
          role: roleName(roleId),
          ...own,
          ...(approvesGrants && { approvesGrants }),
        })),
      }),
    },
    settings: settings.checkPeriodSeconds === undefined ? {} : { checkPeriod: toDuration(settings.checkPeriodSeconds) },
  };
}

function writeAssertion(ruleSet: RuleSet, one: RuleSet['assertions'][number], tokens: Tokens): Fields {
  const { name, never } = one;
  const roleName = roleNamer(ruleSet);
  const frame = { ...(name !== undefined && { name: escapeText(name) }), role: roleName(never.role) };
  const { holds, role } = never.unless;
  if (holds === undefined) return { ...frame, unless: { role: roleName(role ?? '') } };
  const when = fromDefinition(holds);
  const pretty =
    when === undefined ? undefined : { ...frame, unless: { holds: withTokens(escaped(plainAmounts(when)), tokens) } };
  const again = pretty === undefined ? undefined : readBack(ruleSet, 'never', pretty, tokens)?.assertions?.[0];
  // What a file could only say in other words is written as the API writes it.
  const isSame = again !== undefined && sortedText(again) === sortedText(one);
  return pretty !== undefined && isSame ? pretty : { ...frame, unless: { definition: escaped(holds) } };
}

/** Writes a rule in the words of a file, or as the API writes it where these cannot say the same. */
export function writeRule(ruleSet: RuleSet, index: number, tokens: Tokens): WrittenRule {
  const given = ruleSet.rules[index];
  if (given === undefined) throw new Error(`There is no rule ${index}.`);
  const { id, rule, visibility } = given;
  const { name, description, roleId, ...definition } = rule;
  const roleName = roleNamer(ruleSet);
  const isNamed =
    typeof name === 'string' && name !== '' && ruleSet.rules.filter((one) => one.rule.name === name).length === 1;
  const frame = {
    ...(!isNamed && { id }),
    ...(typeof name === 'string' && name !== '' && { name: escapeText(name) }),
    ...(typeof description === 'string' && description !== '' && { description: escapeText(description) }),
    role: roleName(String(roleId)),
    ...(visibility !== 'public' && { visibility }),
  };
  const isComposition = isObject(rule.variables) && 'roleComposition' in rule.variables;
  const list = isComposition ? 'compositions' : 'rules';
  const composition = isComposition ? fromComposition(rule) : undefined;
  const when = isComposition ? undefined : fromDefinition(rule);
  const pretty =
    composition !== undefined
      ? { ...frame, ...composition, condition: withRoleNames(composition.condition, roleName) }
      : when === undefined
        ? undefined
        : { ...frame, when: withTokens(escaped(plainAmounts(when)), tokens) };
  if (pretty !== undefined && saysTheSame(ruleSet, index, { entry: pretty, list }, tokens))
    return { entry: pretty, list };
  // Empty names are part of the rule, and no entry can say them.
  const odd = { ...(name === '' && { name }), ...(description === '' && { description }) };
  return { entry: { ...frame, definition: escaped({ ...definition, ...odd }) }, list };
}

/** Whether an entry, read back, is the rule again. */
function saysTheSame(ruleSet: RuleSet, index: number, { entry, list }: WrittenRule, tokens: Tokens): boolean {
  const rule = ruleSet.rules[index];
  const again = readBack(ruleSet, list, entry, tokens)?.rules?.[0];
  return rule !== undefined && again !== undefined && ruleText(again) === ruleText(rule);
}

/** What an entry of a list says, once it is read from a file; undefined if it cannot be. */
function readBack(ruleSet: RuleSet, list: string, entry: Fields, tokens: Tokens): WantedRuleSet | undefined {
  const value = { version: 1, communities: [{ community: ruleSet.communityId, [list]: [entry] }] };
  const place = { file: '', line: 1, column: 1 };
  if (checkFile({ value, placeOf: () => place }).length > 0) return undefined;
  try {
    const community = { community: ruleSet.communityId, [list]: [unescaped(entry)] };
    return compileCommunity({ value: community, tokens, placeOf: () => place }, platformRoles(ruleSet)).wanted;
  } catch {
    return undefined;
  }
}

/** The same text for rules that are the same to a server. */
export function ruleText({ rule, visibility = 'public' }: { rule: Fields; visibility?: string | undefined }): string {
  return sortedText([normalForm(rule), visibility]);
}

function sortedText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}

/** A role by its name, where that means the same as its id. */
function roleNamer(ruleSet: RuleSet): (roleId: string) => string {
  const find = platformRoles(ruleSet);
  return (roleId) => {
    const name = ruleSet.roles?.find(({ id }) => id === roleId)?.name;
    const found = name === undefined || name === '' ? undefined : find(name);
    return name !== undefined && found !== undefined && 'id' in found && found.id === roleId && name.length <= 200
      ? escapeText(name)
      : roleId;
  };
}

function withRoleNames(condition: unknown, roleName: (roleId: string) => string): unknown {
  return isObject(condition)
    ? Object.fromEntries(Object.entries(condition).map(([roleId, isHeld]) => [roleName(roleId), isHeld]))
    : condition;
}

/** Conditions that say all that a token of the file says name it instead. */
function withTokens(when: Fields, tokens: Tokens): Fields {
  if (['all', 'any', 'not', 'atLeast'].some((word) => word in when))
    return Object.fromEntries(
      Object.entries(when).map(([word, part]) => [
        word,
        Array.isArray(part)
          ? part.map((one) => withTokens(one as Fields, tokens))
          : isObject(part)
            ? withTokens(part, tokens)
            : part,
      ]),
    );
  for (const [name, fields] of tokens) {
    const entries = Object.entries(fields);
    if (entries.length === 0 || !entries.every(([field, value]) => isSameValue(when[field], value))) continue;
    return { token: name, ...Object.fromEntries(Object.entries(when).filter(([field]) => !(field in fields))) };
  }
  return when;
}

function isSameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Amounts that a number holds exactly are written without quotes. */
function plainAmounts(when: Fields): Fields {
  return Object.fromEntries(
    Object.entries(when).map(([name, value]) => {
      if (Array.isArray(value)) return [name, value.map((part) => (isObject(part) ? plainAmounts(part) : part))];
      if (name === 'not' && isObject(value)) return [name, plainAmounts(value)];
      const isPlain =
        (name === 'min' || name === 'max') && typeof value === 'string' && String(Number(value)) === value;
      return [name, isPlain && Number.isSafeInteger(Number(value)) ? Number(value) : value];
    }),
  );
}

function escapeText(text: string): string {
  return text.replaceAll('${', () => '$${');
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((part) => mapTexts(part, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [change(name), mapTexts(part, change)]));
}

/** Texts that look like variables are none. */
function escaped<Value extends object>(value: Value): Value {
  return mapTexts(value, escapeText) as Value;
}

/** What texts of a file stand for, which name no variable. */
export function unescaped(value: Fields): Fields {
  return mapTexts(value, (text) => text.replaceAll('$${', '${')) as Fields;
}
