import { copyIn } from '@latchkey/db/testing';
import pg from 'pg';
import { columns, lineOf, type RuleTemplate, rowsOf, type Shape, type Table } from './rows.ts';

const communitiesAtOnce = 200;

/**
 * Fills a migrated database with the communities from `from` up to `to`: members, wallets, rules, roles and their ledger entries. Rows are
 * inserted by COPY with every constraint, index and trigger in place. Returns the number of rows.
 */
export async function populate(databaseUrl: string, shape: Shape, from: number, to: number): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  let count = 0;
  try {
    for (let first = from; first < to; first += communitiesAtOnce) {
      const lines = new Map<Table, string[]>();
      for (let community = first; community < Math.min(to, first + communitiesAtOnce); community += 1)
        for (const [table, ...values] of rowsOf(community, shape)) {
          const list = lines.get(table) ?? [];
          list.push(lineOf(values));
          lines.set(table, list);
          count += 1;
        }
      await client.query('begin');
      for (const table of Object.keys(columns).filter((name): name is Table => name in columns))
        await copyIn(client, `copy ${table} (${columns[table]}) from stdin`, inPieces(lines.get(table) ?? []));
      await client.query('commit');
    }
    await indexRules(client);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
  return count;
}

async function* inPieces(lines: readonly string[]): AsyncGenerator<Buffer> {
  for (let from = 0; from < lines.length; from += 500) yield Buffer.from(lines.slice(from, from + 500).join(''));
}

/** Marks the assets of the new rules as indexed and followed, so that no worker checks every member because they are new. */
async function indexRules(client: pg.Client): Promise<void> {
  await client.query(`
    insert into rule_indexes (community_id, rules_digest)
    select r.community_id, count(*) || '/' || max(floor(extract(epoch from r.updated_at) * 1000))::bigint || '/'
      || md5(string_agg(r.id, ',' order by r.id collate "C"))
    from community_rules r group by r.community_id
    on conflict do nothing`);
  await client.query(`
    insert into followed_contracts (chain, reference, since_number)
    select distinct a.chain, a.reference, c.number from rule_assets a join followed_chains c using (chain)
    on conflict do nothing`);
  await client.query('delete from rule_set_changes');
}

/** Returns the only rule of a community that the product created, as a template. */
export async function readTemplate(databaseUrl: string, communityId: string): Promise<RuleTemplate> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<RuleTemplate>(
      `select r.id, r.role_id as "roleId", r.definition::text as definition, a.chain, a.standard, a.reference,
         a.reference as contract
       from community_rules r join rule_assets a using (community_id) where community_id = $1`,
      [communityId],
    );
    const [rule] = rows;
    if (rule === undefined || rows.length > 1) throw new Error('The community does not have exactly one listed rule.');
    return rule;
  } finally {
    await client.end();
  }
}
