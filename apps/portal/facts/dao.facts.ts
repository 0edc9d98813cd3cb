import { evmNetworks } from '@latchkey/core/facts';
import { type SettingKind, type Share, settings, shareLists } from '../config/dao-settings.ts';
import { type Dao, loadDao, type Value } from '../config/read-dao.ts';
import type { Facts } from './fact.ts';

export const notConfigured = 'not configured';

/** Formats a value for a page, in inline Markdown. */
function show(kind: SettingKind, value: Value): string {
  switch (kind) {
    case 'url':
      return `[${value}](${value})`;
    case 'address':
      return `\`${value}\``;
    case 'chain':
      return `${evmNetworks.find(({ chainId }) => chainId === value)?.description ?? 'chain'} (${value})`;
    case 'percent':
      return `${value} %`;
    case 'days':
      return value === 1 ? '1 day' : `${value} days`;
    case 'months':
      return value === 1 ? '1 month' : `${value} months`;
    default:
      return String(value).replace(/[\\*_[\]~&]/g, '\\$&');
  }
}

function valueAt({ values }: Dao, path: string): string {
  const [setting, value] = [settings[path], values.get(path)];
  return setting === undefined || value === undefined ? notConfigured : show(setting.kind, value);
}

/** Returns the settings below a name (`token`), or those of the first level for an empty one. */
function pathsUnder(prefix: string): string[] {
  return Object.keys(settings).filter((path) => (prefix === '' ? !path.includes('.') : path.startsWith(`${prefix}.`)));
}

function table(dao: Dao, prefix: string) {
  return {
    columns: ['What', 'Value', 'Explanation'],
    rows: pathsUnder(prefix).map((path) => [
      settings[path]?.label ?? path,
      valueAt(dao, path),
      settings[path]?.meaning ?? '',
    ]),
  };
}

const percentPerBlock = 5;

function shareTable(shares: readonly Share[] | undefined) {
  const months = (count: number | null) => (count === null || count === 0 ? 'none' : show('months', count));
  return {
    columns: ['Group', 'Share', `Drawn, ${percentPerBlock} % a block`, 'Vesting', 'Cliff'],
    rows: shares?.map(({ group, percent, vestingMonths, cliffMonths }) => [
      show('text', group),
      show('percent', percent),
      '█'.repeat(Math.max(1, Math.round(percent / percentPerBlock))),
      months(vestingMonths),
      months(cliffMonths),
    ]) ?? [['All groups', notConfigured, '–', notConfigured, notConfigured]],
  };
}

function stateOf(dao: Dao): string {
  if (!dao.enabled) return 'turned off: the operator runs this instance, and no DAO is configured';
  return dao.values.has('name') ? `turned on, for ${valueAt(dao, 'name')}` : 'switched on';
}

function claimState({ values }: Dao): string {
  const [opensOn, closesOn] = [values.get('claim.opensOn'), values.get('claim.closesOn')];
  if (opensOn === undefined) return 'no claim is configured';
  return closesOn === undefined ? `opens on ${opensOn}` : `open from ${opensOn} to ${closesOn}`;
}

function settingsTable(dao: Dao) {
  const singles = Object.entries(settings).map(([path, { meaning }]) => [`\`${path}\``, meaning, valueAt(dao, path)]);
  const lists = Object.entries(shareLists).map(([path, meaning]) => [
    `\`${path}\``,
    `${meaning}: a list of \`group\`, \`percent\`, \`vestingMonths\` and \`cliffMonths\`.`,
    [...dao.shares].some(([name]) => name === path) ? 'configured' : notConfigured,
  ]);
  return {
    columns: ['Setting', 'Meaning', 'Now'],
    rows: [
      ['`enabled`', 'Whether the pages show any of the following.', dao.enabled ? 'true' : 'false'],
      ...singles,
      ...lists,
    ],
  };
}

/** Returns the facts of a configuration: `dao.<path>` for each value, and the tables. */
export function factsOf(dao: Dao): Facts {
  const singles = Object.keys(settings).map((path) => [`dao.${path}`, () => valueAt(dao, path)] as const);
  return {
    ...Object.fromEntries(singles),
    'dao.state': () => stateOf(dao),
    'dao.settings': () => settingsTable(dao),
    'dao.places': () => table(dao, ''),
    'dao.membership': () => table(dao, 'membership'),
    'dao.token': () => table(dao, 'token'),
    'dao.contracts': () => table(dao, 'contracts'),
    'dao.voting': () => table(dao, 'voting'),
    'dao.charter': () => table(dao, 'charter'),
    'dao.claim': () => table(dao, 'claim'),
    'dao.claim-state': () => claimState(dao),
    'dao.claim-groups': () => shareTable(dao.shares.get('claim.groups')),
    'dao.distribution': () => shareTable(dao.shares.get('distribution')),
    'dao.top-communities': () => table(dao, 'topCommunities'),
  };
}

export default factsOf(loadDao());
