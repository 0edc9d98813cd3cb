import { readFileSync } from 'node:fs';
import { evmNetworks } from '@latchkey/core';
import { type AssetKind, assetKinds, otherKinds } from '@latchkey/core/facts';
import { variables } from '@latchkey/server/facts';
import { readSite, type Site } from '../config/site.ts';
import { code, type Fact, type Facts, table } from './fact.ts';

/** Each family of settings has a common prefix; pages show one family at a time. */
function settingsByFamily(): Record<string, () => Fact> {
  const families = new Map<string, string[][]>();
  for (const [name, { meaning, fallback }] of Object.entries(variables)) {
    const [family = name] = /^LATCHKEY_[A-Z]+/.exec(name) ?? [];
    families.set(family, [
      ...(families.get(family) ?? []),
      [code(name), meaning, fallback === '' ? '' : code(fallback)],
    ]);
  }
  const columns = ['Setting', 'Meaning', 'Without it'];
  return Object.fromEntries([
    ['settings', () => table(columns, [...families.values()].flat())],
    ...[...families].map(([family, rows]) => [`settings/${family}`, () => table(columns, rows)]),
  ]);
}

function placeOf({ chain }: AssetKind): string {
  if (typeof chain === 'string') return code(chain);
  const network = evmNetworks.find(({ chainId }) => chainId === chain.evm);
  return chain.evm === undefined
    ? 'any EVM chain'
    : `${network?.description ?? `chain ${chain.evm}`}, if none is named`;
}

/** Services, not chains, that have their own kinds of asset. */
const services = ['galxe', 'gitcoin', 'nifty', 'poap', 'twitter'];

/** Families of chains other than EVM, by the kinds of asset that they have. */
const otherChains = [
  ...new Set(assetKinds.flatMap(({ chain }) => (typeof chain === 'string' ? [chain.split(':')[0] ?? chain] : []))),
]
  .filter((name) => !services.includes(name))
  .sort();

/** The default plans of a new server are declared where they are inserted. */
function organizationPlans(): string[][] {
  const text = readFileSync(new URL('../../../packages/db/migrations/0002-services.sql', import.meta.url), 'utf8');
  const row =
    /\('(\w+)', 'organization', '([^']+)', \d+, 'monthly', \w+, (\d+), (\d+),\s*'(\[[\s\S]*?\])',\s*'([^']*)'/g;
  return [...text.matchAll(row)].map(([, id = '', name = '', keys = '', apps = '', limits = '[]', meaning = '']) => {
    const labels = (JSON.parse(limits) as { label: string }[]).map(({ label }) => label);
    return [`${name} (${code(id)})`, labels.join(', '), keys, apps, meaning];
  });
}

/** The display names of chains that differ from the capitalized name in rules. */
const chainNames: Readonly<Record<string, string>> = {
  immutable_x: 'Immutable X',
  near: 'NEAR',
  ton: 'TON',
  xrpl: 'XRP Ledger',
};

function nameOfChain(name: string): string {
  return chainNames[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('_', ' ')}`;
}

function repositoryOf({ repository }: Site): string {
  return repository === undefined ? 'not configured for this site' : `[${repository}](${repository})`;
}

/** How to get the source: with its address, if the deployment knows it. */
export function cloneCommandOf({ repository }: Pick<Site, 'repository'>): string {
  if (repository !== undefined) return code(`git clone ${repository}`);
  return `${code('git clone')} with the address from the operator who gave you this documentation, or a source archive from them`;
}

export default {
  ...settingsByFamily(),
  'site/repository': () => repositoryOf(readSite()),
  'site/clone': () => cloneCommandOf(readSite()),
  'rule-types': () =>
    table(
      ['Type', 'Where', 'Named by', 'Token ids'],
      assetKinds.map((kind) => [
        [kind.name, ...(kind.aliases ?? [])].map(code).join(', '),
        placeOf(kind),
        kind.from.map(code).join(' or ') || 'nothing else',
        kind.tokenIds ?? 'no',
      ]),
    ),
  'rule-type-count': () => String(assetKinds.length + otherKinds.length),
  chains: () =>
    table(
      ['Chain', 'Chain id', 'Names in rules'],
      evmNetworks.map(({ chainId, names, description }) => [description, code(chainId), names.map(code).join(', ')]),
    ),
  'evm-chain-count': () => String(evmNetworks.length),
  'other-chains': () => otherChains.map(nameOfChain).join(', '),
  'chain-count': () => String(evmNetworks.length + otherChains.length),
  plans: () => table(['Plan', 'Calls', 'Client apps', 'Mini-apps', 'Meant for'], organizationPlans()),
} satisfies Facts;
