import { AppError, isObject, listOf, notFound, op, optional, record, T, text } from '@latchkey/kernel';
import { communityAdmin, confirmedCommunityAdmin, ownCommunity } from '../../communities/access/index.ts';
import { findPlatformRoles, refuseBadRoles } from '../../communities/community/index.ts';
import type { CommunityRow } from '../../communities/community-records/index.ts';
import { refuseLocked } from '../../communities/managed-rules/index.ts';
import { type CommunityRuleRow, selectRules } from '../../communities/rule-records/index.ts';
import { communityParam } from '../../shared/community-id.ts';
import type { Context } from '../../shared/context.ts';
import { insertNewRule, refuseBadRule, refuseMisspelled, ruleSign } from '../community-rules/index.ts';
import { whyUndecidable } from '../rule-health/index.ts';
import { readRule } from '../rules/index.ts';
import { describeImport, readRoles } from './describe-import.ts';
import { fetchOriginal, type OriginalAccess, refused } from './fetch-original.ts';
import type { FoundRule, ImportSource } from './found-rule.ts';
import { matchRole, type RoleChoice, type Roles } from './match-role.ts';
import {
  deleteOldImports,
  type EntryRow,
  type EntryState,
  insertImport,
  lockEntry,
  selectEntries,
  selectImport,
  selectImported,
  selectImports,
  updateEntry,
} from './queries.ts';
import { mostRules, readExport, readRules } from './read-export.ts';
import { NewRuleImport, RuleImport, toImport } from './shapes.ts';

interface ImportRequest {
  source: ImportSource;
  content?: string | undefined;
  original?: OriginalAccess | undefined;
  roles?: readonly RoleChoice[] | undefined;
}

const rolesTimeoutMs = 5_000;
const keptImports = 20;
/** The maximum length of a role name in a role choice. */
const longestRole = 200;

/** Reads rules from another service and stores their equivalents. Creates no rules and changes no roles. */
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
    const mapped = await mapRule(ctx, community, one, roles, body.roles ?? [], faults);
    const sign = mapped.role_id && mapped.definition ? ruleSign(mapped.role_id, mapped.definition) : undefined;
    // A rule that was removed since can be imported again.
    const before = imported.get(one.key);
    const known = before !== undefined && ruleIds.has(before) ? before : undefined;
    const ruleId = known ?? (sign === undefined ? undefined : present.get(sign));
    const isTwice = sign !== undefined && seen.has(sign);
    if (sign !== undefined) seen.add(sign);
    const entry = { import_id: row.id, community_id: community.id, position, source_key: one.key, ...mapped };
    if (ruleId !== undefined) entries.push({ ...entry, state: 'present', problem: null, rule_id: ruleId });
    else if (isTwice) entries.push({ ...entry, state: 'present', problem: 'Duplicate of a rule above.' });
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
      throw refused(
        '/original',
        'Only the original’s rules can be read from its API. Send either original or content.',
      );
    const found = readRules(source, await fetchOriginal(ctx, original), community_id) ?? [];
    if (found.length > mostRules) throw refused('/original', `The community has more than ${mostRules} rules.`);
    return found;
  }
  if (content === undefined) throw refused('/content', 'Send the text of the export in content.');
  return readExport(source, content, community_id);
}

type MappedRule = Omit<EntryRow, 'import_id' | 'community_id' | 'position' | 'source_key'>;

async function mapRule(
  ctx: Pick<Context, 'db' | 'holdings' | 'hosts' | 'tokenMetadata' | 'wallets'>,
  community: CommunityRow,
  found: FoundRule,
  roles: Roles,
  choices: readonly RoleChoice[],
  faults: Map<string, Promise<string | undefined>>,
): Promise<MappedRule> {
  const entry = {
    name: found.name,
    role_there: null,
    role_id: null,
    visibility: found.visibility ?? 'public',
    definition: null,
    state: 'unmapped' as EntryState,
    problem: null,
    notes: found.notes,
    rule_id: null,
  };
  if (found.rule === undefined) return { ...entry, problem: found.problem ?? 'It has no equivalent here.' };
  const match = matchRole(found.role, roles, choices);
  if ('problem' in match) {
    const role_there = (found.role.name ?? found.role.id)?.slice(0, longestRole) ?? null;
    return { ...entry, role_there, problem: match.problem };
  }
  const { roleId } = match;
  const definition = { ...found.rule, roleId };
  const problem =
    refusalOf(() => readRule(definition)) ??
    refusalOf(() => refuseMisspelled(ctx, definition)) ??
    (await faultOf(ctx, community, roleId, faults));
  if (problem !== undefined) return { ...entry, role_id: roleId, problem };
  const notes = match.note === undefined ? found.notes : [...found.notes, match.note];
  // The entry is stored completely, so that it can be turned on once this server can decide it.
  const [undecidable] = await whyUndecidable(ctx, readRule(definition));
  if (undecidable !== undefined)
    return { ...entry, role_id: roleId, definition, state: 'refused', problem: undecidable, notes };
  return { ...entry, role_id: roleId, definition, state: 'ready', notes };
}

function refusalOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return sayRefusal(error);
    throw error;
  }
}

/** An admin reads what is wrong, without where it is in the export or which kinds of rules the API has. */
function sayRefusal({ message, details }: AppError): string {
  const [first] = Array.isArray(details) ? details : [];
  if (!isObject(first) || typeof first.message !== 'string') return message;
  const [, type] = /^the type (".*?") is unknown/.exec(first.message) ?? [];
  if (type !== undefined) return `Latchkey has no condition of the kind ${type}.`;
  return first.message.slice(0, 1).toUpperCase() + first.message.slice(1);
}

/** Why the bot cannot grant a role, looked up once per role. */
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

const mostListed = 20;

export async function listRuleImports(ctx: Context, { communityId }: { communityId: string }): Promise<RuleImport[]> {
  const { id } = await ownCommunity(ctx, communityId);
  const rows = await selectImports(ctx.db.system, id, mostListed);
  const entries = Map.groupBy(
    await selectEntries(
      ctx.db.system,
      rows.map((row) => row.id),
    ),
    (entry) => entry.import_id,
  );
  return rows.map((row) => ({ ...toImport(row, entries.get(row.id) ?? []), entries: [] }));
}

export async function getRuleImport(
  ctx: Context,
  { communityId, importId }: { communityId: string; importId: string },
): Promise<RuleImport> {
  const community = await ownCommunity(ctx, communityId);
  const row = await selectImport(ctx.db.system, community.id, importId);
  if (row === undefined) throw notFound('import');
  return describeImport(ctx, row, await selectEntries(ctx.db.system, [row.id]), await readRoles(ctx, community));
}

const reads = communityAdmin('communityId', 'community:read');
const writes = confirmedCommunityAdmin('communityId', 'community:write');

const importId = text('The id of the import.', { minLength: 1, maxLength: 64 });

export const ruleImportOperations = [
  op(
    'POST /latchkey/communities/{communityId}/rule-imports',
    {
      id: 'startRuleImport',
      summary: 'Preview rules from another service',
      description:
        'Reads rules from an export, or from the original’s API, and returns their equivalents: which can be turned on, which have no equivalent and why. Creates no rules and changes no roles. The last 20 imports of a community are kept. For community admins.',
      access: writes,
      params: { communityId: communityParam },
      body: NewRuleImport,
      returns: RuleImport,
      errors: ['UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    startRuleImport,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rule-imports',
    {
      id: 'listRuleImports',
      summary: 'List imports of rules',
      description:
        'Returns the last 20 imports of a community, newest first, without their entries. For community admins.',
      access: reads,
      params: { communityId: communityParam },
      returns: listOf(RuleImport),
    },
    listRuleImports,
  ),
  op(
    'GET /latchkey/communities/{communityId}/rule-imports/{importId}',
    {
      id: 'getRuleImport',
      summary: 'Get an import of rules',
      description: 'Returns an import with every rule that was found, and its status. For community admins.',
      access: reads,
      params: { communityId: communityParam, importId },
      returns: RuleImport,
    },
    getRuleImport,
  ),
  op(
    'POST /latchkey/communities/{communityId}/rule-imports/{importId}/apply',
    {
      id: 'applyRuleImport',
      summary: 'Turn on imported rules',
      description:
        'Creates rules from the entries of an import that are ready: all of them, or those listed in positions. The resulting role changes become a change set; large removals need approval. An entry that is rejected does not stop the others, and calling it again creates no duplicates. For community admins.',
      audit: 'rules.import',
      access: writes,
      params: { communityId: communityParam, importId },
      body: optional(
        record('RuleImportChoice', 'Which entries to turn on.', {
          positions: T.Optional(
            T.Array(T.Number({ description: 'The position of an entry.', minimum: 0, multipleOf: 1 }), {
              description: 'Omit it for all entries that are ready.',
              maxItems: 1000,
            }),
          ),
        }),
      ),
      returns: RuleImport,
      errors: ['UNAVAILABLE', 'VALIDATION_FAILED'],
    },
    applyRuleImport,
  ),
] as const;

interface Applied {
  communityId: string;
  importId: string;
  body?: { positions?: readonly number[] | undefined } | undefined;
}

/**
 * Creates rules from the entries that an admin chose, each in a separate transaction: a refused entry does not stop the
 * others, and a second run continues where the first one ended.
 */
export async function applyRuleImport(ctx: Context, { communityId, importId, body }: Applied): Promise<RuleImport> {
  const community = await ownCommunity(ctx, communityId);
  const row = await selectImport(ctx.db.system, community.id, importId);
  if (row === undefined) throw notFound('import');
  await refuseLocked(ctx.db.system, community.id);
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
      const present = signsOf(await selectRules(tx, community_id)).get(ruleSign(entry.role_id, entry.definition));
      if (present !== undefined) return updateEntry(tx, entry, { state: 'present', problem: null, rule_id: present });
      const { id } = await insertNewRule(
        { actor: ctx.actor, clock: ctx.clock, random: ctx.random, tx: (work) => work(tx) },
        { id: community_id, body: entry.definition, visibility: entry.visibility },
      );
      await updateEntry(tx, entry, { state: 'imported', problem: null, rule_id: id });
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'UNAVAILABLE') throw error;
    const problem = sayRefusal(error);
    await ctx.tx((tx) => updateEntry(tx, { import_id, position }, { state: 'refused', problem, rule_id: null }));
  }
}

/** The rules of a community, by signature. */
function signsOf(rules: readonly CommunityRuleRow[]): Map<string, string> {
  return new Map(rules.map(({ id, role_id, definition }) => [ruleSign(role_id, definition), id]));
}
