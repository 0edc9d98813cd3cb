import { posix } from 'node:path';
import { isTestFile, type SourceFile } from './sources.ts';

/**
 * Where a feature reads or writes the tables of another, and why it may. Whoever needs something of a table asks a function
 * that its owner exports; this list only shrinks.
 */
export const allowedForeign: readonly { path: string; tables: readonly string[]; why: string }[] = [
  {
    path: 'packages/core/src/surfaces/admin-notices/check-setup.ts',
    tables: ['communities', 'community_rules'],
    why: 'takes the communities whose set-up is due to be looked at, in one statement',
  },
  {
    path: 'packages/core/src/surfaces/admin-notices/find-queries.ts',
    tables: ['communities', 'community_members', 'community_rules', 'change_sets', 'role_circuit_breakers'],
    why: 'finds what no admin was told of yet, over all communities, in one statement each',
  },
  {
    path: 'packages/core/src/surfaces/analytics/queries.ts',
    tables: ['role_ledger'],
    why: 'figures over what several features keep, read in one statement each',
  },
  {
    path: 'packages/core/src/communities/community/member-queries.ts',
    tables: ['community_members'],
    why: 'members build on communities, so communities cannot import them',
  },
  {
    path: 'packages/core/src/communities/usage/interactions.ts',
    tables: ['communities'],
    why: 'one statement, so that a community that is removed meanwhile is not counted',
  },
  {
    path: 'packages/core/src/communities/pictures/queries.ts',
    tables: ['communities'],
    why: 'takes the communities whose picture is due to be looked at, in one statement',
  },
  {
    path: 'packages/core/src/identity/client-apps/find-client.ts',
    tables: ['organizations'],
    why: 'every request with a key asks this, as one prepared statement',
  },
  {
    path: 'packages/core/src/identity/credentials/purge.ts',
    tables: ['idempotent_requests', 'rate_windows'],
    why: 'one sweep deletes, in batches, whatever has run out',
  },
  {
    path: 'packages/core/src/gating/followers/index-rules.ts',
    tables: ['communities', 'community_rules'],
    why: 'finds communities whose rules changed since they were indexed',
  },
  {
    path: 'packages/core/src/gating/followers/start-resyncs.ts',
    tables: ['communities'],
    why: 'takes the communities that are due, under a lock',
  },
  {
    path: 'packages/core/src/gating/followers/watched-assets.ts',
    tables: ['communities'],
    why: 'leaves out the assets of communities that are not active',
  },
  {
    path: 'packages/core/src/gating/role-changes/forget.ts',
    tables: [
      'community_members',
      'followed_changes',
      'read_holdings',
      'reconcile_queue',
      'rule_assets',
      'wallet_connections',
    ],
    why: 'erasure of all gating keeps of a person, by the indexes that make it quick',
  },
  {
    path: 'packages/core/src/surfaces/account/forget.ts',
    tables: ['idempotent_requests', 'rate_windows'],
    why: 'the HTTP pipeline, which keeps them, builds on core',
  },
  {
    path: 'packages/core/src/identity/wallets/holders.ts',
    tables: ['community_members'],
    why: 'members build on wallets, so wallets cannot import them',
  },
  {
    path: 'packages/server/src/http/idempotency.ts',
    tables: ['idempotent_requests'],
    why: 'its own, declared in db for the erasure in core',
  },
  {
    path: 'packages/server/src/http/rate-limiter.ts',
    tables: ['rate_windows'],
    why: 'its own, declared in db for the erasure in core',
  },
];

/** The tables that each file declares, by merging into `Tables` or in an interface that it extends. */
export function declaredTables(files: readonly SourceFile[]): { table: string; path: string }[] {
  return files
    .filter(({ path }) => isProduct(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/\binterface \w*Tables\b[^{]*\{/g)].flatMap((match) =>
        namesIn(text.slice(match.index + match[0].length)).map((table) => ({ table, path })),
      ),
    );
}

/** The keys of an interface, given what follows its opening brace. */
function namesIn(body: string): string[] {
  let depth = 1;
  let flat = '';
  for (const letter of body) {
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (depth === 0) break;
    if (depth === 1) flat += letter;
  }
  return [...flat.matchAll(/^\s*(\w+):/gm)].map(([, name = '']) => name);
}

/** Which files of the product read or write a table that a file of another feature declares. */
export function foreignAccesses(files: readonly SourceFile[]): { table: string; path: string }[] {
  const owners = new Map(declaredTables(files).map(({ table, path }) => [table, ownerOf(path)]));
  const names = [...owners.keys()].join('|');
  const called = new RegExp(
    `(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|using|\\w+Join)\\(\\s*\\[?'(${names})\\b`,
    'g',
  );
  const written = new RegExp(`\\b(?:from|join|into|only|table|truncate|update|using|,)\\s+(${names})\\b`, 'gi');
  const listed = new RegExp(`'(${names})'`, 'g');
  return files
    .filter(({ path }) => isProduct(path))
    .flatMap(({ path, text }) => {
      const code = withoutComments(text);
      const found = [
        ...code.matchAll(called),
        ...[...code.matchAll(/`[^`]*`|'\s*(?:select|delete|insert|update)\b[^']*'/gi)].flatMap(([sql]) => [
          ...sql.matchAll(written),
        ]),
        ...(code.includes('sql.table(') ? code.matchAll(listed) : []),
      ].map(([, table = '']) => table);
      return [...new Set(found)]
        .filter((table) => owners.get(table) !== ownerOf(path))
        .map((table) => ({ table, path }));
    });
}

function isProduct(path: string): boolean {
  return /^packages\/(core|db|server)\/src\//.test(path) && !isTestFile(path);
}

/** A feature of core or a folder of the server; the database package is one whole. */
function ownerOf(path: string): string {
  if (path.startsWith('packages/db/')) return 'packages/db';
  return /^packages\/core\/src\/[\w-]+\/[\w-]+(?=\/)/.exec(path)?.[0] ?? posix.dirname(path);
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '');
}
