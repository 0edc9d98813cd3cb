import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Fields, RuleSet, RuleSetPlan } from '@latchkey/core/rule-files';
import { type Document, isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import type { RuleSetApi } from '../api.ts';
import { compileCommunity, type FindRole, listIn, platformRoles } from '../file/compile.ts';
import { fileName, loadFiles } from '../file/load.ts';
import { addCommunity, newDocument } from '../file/new-document.ts';
import type { CommunityInFile } from '../file/read-communities.ts';
import { yamlStyle } from '../file/style.ts';
import { ruleText, unescaped, writeRest, writeRule } from '../file/write-community.ts';
import { UsageError } from '../problems.ts';
import type { Terminal } from '../terminal.ts';
import { givenVariables, type Options, titleOf } from './open.ts';

/** Writes communities as they are into the file. What is already so keeps its comments and its wording. */
export async function runPull(
  terminal: Terminal,
  api: RuleSetApi,
  options: Options,
  names: readonly string[],
): Promise<number> {
  const path = await pathOf(resolve(terminal.folder, options.file));
  const existing = (await exists(path))
    ? await loadFiles(terminal.folder, options.file, givenVariables(terminal, options))
    : [];
  const wanted = names.length > 0 ? names : existing.map(({ value }) => String(value.community));
  if (wanted.length === 0) throw new UsageError('Name the community to pull, by its id or name.');
  const pathFor = ({ yaml }: CommunityInFile) => resolve(terminal.folder, yaml.file);
  // Several communities of one file change one document, and nothing is written before all of them were read.
  const documents = new Map<string, Document>(existing.map((one) => [pathFor(one), one.yaml.document]));
  const changed = new Map<string, Document>();
  const pulled = new Map<string, RuleSet>();
  for (const name of wanted) {
    const ruleSet = await api.getRuleSet(name);
    if (pulled.has(ruleSet.communityId)) continue;
    pulled.set(ruleSet.communityId, ruleSet);
    const present = existing.find(({ value }) =>
      [name, ruleSet.communityId, ruleSet.communityName].includes(String(value.community)),
    );
    const place = present === undefined ? path : pathFor(present);
    const document = changed.get(place) ?? documents.get(place) ?? (await openDocument(place));
    changed.set(place, document);
    if (present === undefined) addCommunity(document, ruleSet);
    else await updateCommunity(api, ruleSet, present);
  }
  for (const [place, document] of changed) await writeWhole(place, document.toString(yamlStyle));
  for (const ruleSet of pulled.values()) {
    const { length } = ruleSet.rules;
    terminal.print(`${titleOf(ruleSet)}: ${length} ${length === 1 ? 'rule' : 'rules'}.`);
  }
  return 0;
}

async function pathOf(path: string): Promise<string> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ? join(path, fileName) : path;
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

async function openDocument(path: string): Promise<Document> {
  if (await exists(path)) return parseDocument(await readFile(path, 'utf8'));
  return newDocument();
}

/** Changes only what differs. The server’s plan says what that is. */
async function updateCommunity(api: RuleSetApi, ruleSet: RuleSet, present: CommunityInFile): Promise<void> {
  const { yaml, index, tokens, value } = present;
  const find = platformRoles(ruleSet, value);
  // A role that is gone differs from every role there is, so that its rule is written anew.
  const findOrKeep: FindRole = (name) => {
    const found = find(name);
    return 'id' in found ? found : { id: name };
  };
  const { wanted } = compileCommunity(present, findOrKeep);
  const plan = await api.planRuleSet(ruleSet.communityId, {
    ...wanted,
    rules: wanted.rules ?? [],
    guestPasses: ruleSet.platform === 'discord' ? (wanted.guestPasses ?? []) : undefined,
    assertions: wanted.assertions ?? [],
    unlisted: 'keep',
    checksMembers: false,
  });
  const map = yaml.document.getIn(['communities', index]);
  if (!isMap(map)) throw new UsageError('The community is not written as a map.');
  const { document } = yaml;
  const lists = { rules: seqIn(document, map, 'rules'), compositions: seqIn(document, map, 'compositions') };
  const entries = (['rules', 'compositions'] as const).flatMap((list) =>
    listIn(value[list]).map((entry, at) => ({ list, entry, item: lists[list].items[at] })),
  );
  const ruleChanges = plan.changes.filter(({ part }) => part === 'rule');
  /** Where each entry is among the server’s rules. */
  const placeOfItem = placeUnchanged(
    ruleSet,
    (wanted.rules ?? []).map((rule, at) => ({ item: entries[at]?.item, rule })),
    ruleChanges,
  );
  const removed = new Set<unknown>();
  for (const { kind, id, index: given } of ruleChanges) {
    const entry = given === undefined ? undefined : entries[given];
    const at = ruleSet.rules.findIndex((rule) => rule.id === id);
    if (kind === 'create' || at === -1) {
      removed.add(entry?.item);
      continue;
    }
    const now = writeRule(ruleSet, at, tokens);
    if (entry !== undefined && isMap(entry.item) && now.list === entry.list) {
      setFields(document, entry.item, entry.entry, now.entry);
      placeOfItem.set(entry.item, at);
      continue;
    }
    removed.add(entry?.item);
    const made = document.createNode(now.entry);
    lists[now.list].add(made);
    placeOfItem.set(made, at);
  }
  const isMoved = ruleChanges.length > 0 || plan.changes.some(({ part }) => part === 'order');
  for (const list of isMoved ? Object.values(lists) : []) {
    const placeOf = (item: unknown) => placeOfItem.get(item) ?? ruleSet.rules.length;
    list.items = list.items.filter((item) => !removed.has(item)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
  for (const [name, list] of Object.entries(lists))
    if (list.items.length === 0 && value[name] === undefined) map.delete(name);
  const rest = writeRest(ruleSet, tokens);
  const differs = new Set(plan.changes.map(({ part }) => part));
  if (differs.has('guest-pass')) setOrDelete(document, map, 'guestPasses', rest.guestPasses);
  if (differs.has('assertion')) setOrDelete(document, map, 'never', rest.never);
  for (const part of ['brakes', 'settings'] as const)
    if (differs.has(part)) setOrDelete(document, map, part, rest[part]);
}

/** The position among the server’s rules of each entry that is as its rule. An entry’s text tells, because equal rules can take turns. */
function placeUnchanged(
  { rules }: RuleSet,
  entries: readonly { item: unknown; rule: Parameters<typeof ruleText>[0] }[],
  changes: RuleSetPlan['changes'],
): Map<unknown, number> {
  const changedEntries = new Set(changes.map(({ index }) => index));
  const changedRules = new Set(changes.map(({ id }) => id));
  const left = Map.groupBy(
    rules.flatMap((rule, at) => (changedRules.has(rule.id) ? [] : [{ text: ruleText(rule), at }])),
    ({ text }) => text,
  );
  return new Map(
    entries.flatMap(({ item, rule }, index): [unknown, number][] => {
      const same = changedEntries.has(index) ? undefined : left.get(ruleText(rule))?.shift();
      return same === undefined ? [] : [[item, same.at]];
    }),
  );
}

function seqIn(document: Document, map: YAMLMap, name: string): YAMLSeq {
  const present = map.get(name);
  if (isSeq(present)) return present;
  const made = document.createNode([]) as unknown as YAMLSeq;
  map.set(name, made);
  return made;
}

/** Sets what differs, so that comments and variables beside it stay. `now` is what the item says, with its variables filled in. */
function setFields(document: Document, item: YAMLMap, now: Fields, entry: Fields): void {
  for (const name of Object.keys(now)) if (!(name in entry)) item.delete(name);
  for (const [name, value] of Object.entries(entry))
    if (JSON.stringify(now[name]) !== JSON.stringify(unescaped({ value }).value))
      item.set(name, document.createNode(value));
}

function setOrDelete(document: Document, map: YAMLMap, name: string, value: unknown): void {
  if (value === undefined) map.delete(name);
  else map.set(name, document.createNode(value));
}

/** A kill in between leaves the file as it was. */
async function writeWhole(path: string, text: string): Promise<void> {
  const fresh = `${path}.new`;
  await writeFile(fresh, text);
  await rename(fresh, path);
}
