import type { Answer } from '../../shared/api/index.ts';

export type RuleImport = Answer<'GET /latchkey/communities/{communityId}/rule-imports/{importId}'>;
export type Entry = RuleImport['entries'][number];
export type Source = RuleImport['source'];

interface SourceWords {
  title: string;
  /** What to upload, and where to find it. */
  help: string;
  sample: string;
}

const table = 'role,type,chain,contract,min\nHolder,ERC721,ethereum,0x…,1';

/** The supported sources of rules, in the order of the list. */
export const sources: Readonly<Record<Source, SourceWords>> = {
  original: {
    title: 'Collab.Land, or another Latchkey',
    help: 'The JSON that its API returns for the rules of your community (GET /communities/{id}/tpcs).',
    sample: '{ "items": [ … ] }',
  },
  guild: {
    title: 'Guild',
    help: 'The JSON that Guild’s API returns for your guild, with its roles, requirements and rewards.',
    sample: '{ "name": "…", "roles": [ … ] }',
  },
  vulcan: {
    title: 'Vulcan',
    help: 'Vulcan has no export. List its rules in a table, one rule per row.',
    sample: table,
  },
  matrica: {
    title: 'Matrica',
    help: 'Matrica has no export. List its rules in a table, one rule per row.',
    sample: table,
  },
  sheet: {
    title: 'Spreadsheet (CSV)',
    help: 'A CSV file with a heading line, or a JSON list. One rule per row.',
    sample: table,
  },
};

export const columns = 'role, roleId, type, chain, contract, collection, min, max, tokenId, trait, value, name';
