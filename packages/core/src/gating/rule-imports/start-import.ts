import { AppError } from '@latchkey/kernel';
import {
  type CommunityRow,
  findPlatformRoles,
  refuseBadRoles,
  selectRules,
} from '../../communities/communities/index.ts';
import type { Context } from '../../context.ts';
import { ownCommunity } from '../role-plans/index.ts';
import { readRule } from '../rules/index.ts';
import { describeImport } from './describe-import.ts';
import { fetchOriginal, type OriginalAccess, refused } from './fetch-original.ts';
import type { FoundRule, ImportSource } from './found-rule.ts';
import { matchRole, type RoleChoice, type Roles } from './match-role.ts';
import { deleteOldImports, type EntryRow, insertImport, selectImported } from './queries.ts';
import { mostRules, readExport, readRules } from './read-export.ts';
import { signOf, signsOf } from './same-rule.ts';
import type { RuleImport } from './shapes.ts';

export interface ImportRequest {
  source: ImportSource;
  content?: string | undefined;
  original?: OriginalAccess | undefined;
  roles?: readonly RoleChoice[] | undefined;
}

const rolesTimeoutMs = 5_000;
const keptImports = 20;
/** As long as a choice of roles may name one. */
const longestRole = 200;

/** Reads rules of another service and keeps what they would be here. No rule is made and nobody's roles change. */
export async function startRuleImport(
  ctx: Context,
  { communityId, body }: { communityId: string; body: ImportRequest },
): Promise<RuleImport> {
  const community = await ownCommunity(ctx, communityId);
  const found = await findRules(ctx, community, body);
  const row = { id: ctx.random.id(), community_id: community.id, source: body.source, created_at: ctx.clock() };
  const roles = await findPlatformRoles(ctx, community, AbortSignal.timeout(rolesTimeoutMs));
  const faults = new Map<string, Promise<string | undefined>>();
  const rules = await selectRules(ctx.db.system, community.id);
  const ruleIds = new Set(rules.map(({ id }) => id));
  const present = signsOf(rules);
  const imported = await selectImported(ctx.db.system, community.id, body.source);
  const entries: EntryRow[] = [];
  const seen = new Set<string>();
  for (const [position, one] of found.entries()) {
    const judged = await judge(ctx, community, one, roles, body.roles ?? [], faults);
    const sign = judged.role_id && judged.definition ? signOf(judged.role_id, judged.definition) : undefined;
    // A rule that was removed since can be imported again.
    const before = imported.get(one.key);
    const known = before !== undefined && ruleIds.has(before) ? before : undefined;
    const ruleId = known ?? (sign === undefined ? undefined : present.get(sign));
    const isTwice = sign !== undefined && seen.has(sign);
    if (sign !== undefined) seen.add(sign);
    const entry = { import_id: row.id, community_id: community.id, position, source_key: one.key, ...judged };
    if (ruleId !== undefined) entries.push({ ...entry, state: 'present', problem: null, rule_id: ruleId });
    else if (isTwice) entries.push({ ...entry, state: 'present', problem: 'The same rule stands above.' });
    else entries.push(entry);
  }
  await ctx.tx(async (tx) => {
    await insertImport(tx, row, entries);
    await deleteOldImports(tx, community.id, keptImports);
  });
  return describeImport(ctx, row, entries, roles);
}

async function findRules(
  ctx: Pick<Context, 'egress'>,
  { community_id }: CommunityRow,
  { source, content, original }: ImportRequest,
): Promise<FoundRule[]> {
  if (original !== undefined) {
    if (source !== 'original' || content !== undefined)
      throw refused('/original', 'Only rules of the original are read from its API. Send either original or content.');
    const found = readRules(source, await fetchOriginal(ctx, original), community_id) ?? [];
    if (found.length > mostRules) throw refused('/original', `The community has more than ${mostRules} rules.`);
    return found;
  }
  if (content === undefined) throw refused('/content', 'Send the text of the export in content.');
  return readExport(source, content, community_id);
}

type Judged = Omit<EntryRow, 'import_id' | 'community_id' | 'position' | 'source_key'>;

async function judge(
  ctx: Pick<Context, 'db' | 'hosts'>,
  community: CommunityRow,
  found: FoundRule,
  roles: Roles,
  choices: readonly RoleChoice[],
  faults: Map<string, Promise<string | undefined>>,
): Promise<Judged> {
  const entry = {
    name: found.name,
    role_there: null,
    role_id: null,
    visibility: found.visibility ?? 'public',
    definition: null,
    state: 'unmapped' as const,
    problem: null,
    notes: found.notes,
    rule_id: null,
  };
  if (found.rule === undefined) return { ...entry, problem: found.problem ?? 'It has no meaning here.' };
  const match = matchRole(found.role, roles, choices);
  if ('problem' in match) {
    const role_there = (found.role.name ?? found.role.id)?.slice(0, longestRole) ?? null;
    return { ...entry, role_there, problem: match.problem };
  }
  const { roleId } = match;
  const definition = { ...found.rule, roleId };
  const problem = refusalOf(() => readRule(definition)) ?? (await faultOf(ctx, community, roleId, faults));
  if (problem !== undefined) return { ...entry, role_id: roleId, problem };
  const notes = match.note === undefined ? found.notes : [...found.notes, match.note];
  return { ...entry, role_id: roleId, definition, state: 'ready', notes };
}

function refusalOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** Why the bot cannot give a role, asked once for each role. */
function faultOf(
  ctx: Pick<Context, 'db' | 'hosts'>,
  { id }: CommunityRow,
  roleId: string,
  faults: Map<string, Promise<string | undefined>>,
): Promise<string | undefined> {
  const known = faults.get(roleId);
  if (known !== undefined) return known;
  const fault = refuseBadRoles(ctx, id, [{ roleId, path: '/roleId' }]).then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof AppError) return error.message;
      throw error;
    },
  );
  faults.set(roleId, fault);
  return fault;
}
