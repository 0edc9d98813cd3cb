/** What is dangerous about a migration while processes of the version before still run. */
export interface Risk {
  statement: string;
  why: string;
}

const contracting = 'The version before may still use this. Stop using it in one release, and remove it in the next.';
const scanning = 'This reads the whole table under a lock that stops writes.';

const rules: readonly { pattern: RegExp; why: string }[] = [
  { pattern: /^drop (table|view|function|type|domain|sequence|materialized view)\b/, why: contracting },
  {
    pattern: /^alter table\b.*\bdrop (column\b|(?!constraint|not null|default|identity|expression)\w+)/,
    why: contracting,
  },
  { pattern: /^alter (table|type|function|view|sequence)\b.*\brename\b/, why: contracting },
  { pattern: /^truncate\b/, why: contracting },
  {
    pattern: /^alter table\b.*\balter (column )?\S+ (set data )?type\b/,
    why: 'This writes the whole table anew under a lock that stops reads. Add another column instead.',
  },
  {
    pattern: /^alter table\b.*\badd column\b(?!.*\bdefault\b)(?!.*\bgenerated\b).*\bnot null\b/,
    why: 'The version before does not fill this column. Give it a default.',
  },
  {
    pattern: /^alter table\b.*\bset not null\b/,
    why: `${scanning} Add a check constraint as not valid, validate it, then set it.`,
  },
  {
    pattern: /^alter table\b.*\badd (constraint \S+ )?(check|foreign key)\b(?!.*\bnot valid\b)/,
    why: `${scanning} Add it as not valid, and validate it in a later migration.`,
  },
  { pattern: /^alter table\b.*\badd (constraint \S+ )?(unique|primary key|exclude)\b/, why: scanning },
  { pattern: /^create (unique )?index\b/, why: `${scanning} Say why the table is small.` },
  { pattern: /^(lock|cluster|reindex)\b|^vacuum full\b/, why: 'This takes a lock that stops everybody.' },
  {
    pattern: /^(update|delete from)\b(?!.*\bwhere\b)/,
    why: 'This locks every row until it ends. Change rows in batches, from a job.',
  },
];

/**
 * Finds what contracts the schema, or holds up running work, in the SQL of a migration. A table that the same file creates
 * has no users yet. A statement whose comment above says `-- safe: <reason>` is let through.
 */
export function risksIn(sql: string): Risk[] {
  const statements = split(sql);
  const created = new Set(
    statements.flatMap(({ text }) => /^create (?:unlogged )?table (?:if not exists )?(\S+)/.exec(text)?.[1] ?? []),
  );
  return statements.flatMap(({ text, isSafe }) => {
    const table = tableOf(text);
    if (isSafe || (table !== undefined && created.has(table))) return [];
    const rule = rules.find(({ pattern }) => pattern.test(text));
    return rule === undefined ? [] : [{ statement: text.slice(0, 120), why: rule.why }];
  });
}

function tableOf(statement: string): string | undefined {
  return (
    /^alter table (?:if exists )?(?:only )?(\S+)/.exec(statement)?.[1] ??
    /^create (?:unique )?index .*?\bon (?:only )?([^\s(]+)/.exec(statement)?.[1] ??
    /^(?:update|delete from|truncate|lock(?: table)?) (?:only )?(\S+)/.exec(statement)?.[1]
  );
}

/** The statements of a file in one line each and lower case, without comments and the bodies of functions. */
function split(sql: string): { text: string; isSafe: boolean }[] {
  const bare = sql.replaceAll(/\$(\w*)\$.*?\$\1\$/gs, "''").replaceAll(/'(?:[^']|'')*'/g, "''");
  // The body of a function in SQL has semicolons of its own.
  const whole = bare.replaceAll(/\bbegin atomic\b.*?\bend;/gis, ';');
  return whole.split(';').map((part) => ({
    text: part.replaceAll(/--.*$/gm, '').replaceAll(/\s+/g, ' ').trim().toLowerCase(),
    isSafe: /^\s*-- safe: \S.{9,}/m.test(part),
  }));
}
