import type { Answer } from '../../shared/api/index.ts';
import { t } from '../messages/index.ts';

export type RuleImport = Answer<'GET /latchkey/communities/{communityId}/rule-imports/{importId}'>;
export type Entry = RuleImport['entries'][number];
export type Source = RuleImport['source'];

/** The supported sources of rules, in the order of the list. Their titles are the messages `ruleImport.<source>`. */
export const sources = ['original', 'guild', 'vulcan', 'matrica', 'sheet'] as const satisfies readonly Source[];

const table = 'role,type,chain,contract,min\nHolder,ERC721,ethereum,0x…,1';

/** How the text to upload begins. */
export const samples: Readonly<Record<Source, string>> = {
  original: '{ "items": [ … ] }',
  guild: '{ "name": "…", "roles": [ … ] }',
  vulcan: table,
  matrica: table,
  sheet: table,
};

/** What to upload, and where to find it. */
export function sayHelp(source: Source): string {
  if (source === 'original') return t('ruleImport.originalHelp', { route: 'GET /communities/{id}/tpcs' });
  return t(`ruleImport.${source}Help`);
}

export const columns = 'role, roleId, type, chain, contract, collection, min, max, tokenId, trait, value, name';
