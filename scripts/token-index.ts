// Writes the index of well-known tokens and collections from the npm packages below:
// `node scripts/token-index.ts && npx biome check --write packages/core/src/gating/known-tokens`. To take a newer release, change its version here.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const target = resolve(import.meta.dirname, '../packages/core/src/gating/known-tokens/known-tokens.json');
const licencesTarget = resolve(import.meta.dirname, '../packages/core/src/gating/known-tokens/licences.txt');
const maxBytes = 150_000;

/** Address, symbol, name, decimals; a collection has no decimals. */
type Row = readonly [string, string, string, (number | null)?];
type Lists = Record<string, Map<string, Row>>;

interface Source {
  name: string;
  version: string;
  licence: string;
  /** The first words of its licence file. The licence in package.json alone is not enough: some packages have two. */
  licenceStart: RegExp;
  what: string;
  take(folder: string, lists: Lists): void;
}

const sources: readonly Source[] = [
  {
    name: '@aave-dao/aave-address-book',
    version: '4.68.1',
    licence: 'MIT',
    licenceStart: /^Copyright .*\s+Permission is hereby granted, free of charge/,
    what: 'tokens tagged as underlying, without principal tokens that expire',
    take: (folder, lists) => {
      for (const { chainId, address, symbol, name, decimals, tags } of readJson(folder, 'tokenlist.json').tokens)
        if (tags.includes('underlying') && !/^PT[-_ ]/i.test(symbol))
          put(lists, `evm:${chainId}`, [address.toLowerCase(), symbol, name, decimals]);
    },
  },
  {
    name: '@metamask/contract-metadata',
    version: '2.5.0',
    licence: 'ISC',
    licenceStart: /^ISC License/,
    what: 'tokens and collections on Ethereum',
    take: (folder, lists) => {
      for (const [address, token] of Object.entries<Any>(readJson(folder, 'contract-map.json'))) {
        const { name, symbol, decimals, erc20, erc721 } = token;
        const lower = address.toLowerCase();
        if (erc20) put(lists, 'evm:1', [lower, symbol, name, decimals]);
        else if (erc721) put(lists, 'evm:1', [lower, symbol ?? name, name]);
      }
    },
  },
  {
    name: '@solana/spl-token-registry',
    version: '0.2.4574',
    licence: 'Apache-2.0',
    licenceStart: /^\s*Apache License\s+Version 2\.0/,
    what: 'Solana tokens that a price index knows, without wrapped ones and shares of pools',
    take: (folder, lists) => {
      for (const token of readJson(folder, 'dist/module/tokens/solana.tokenlist.json').tokens) {
        const { chainId, address, symbol, name, decimals, tags = [], extensions = {} } = token;
        const isLeftOut = tags.some((tag: string) => /lp-token|wrapped|stock/i.test(tag));
        if (chainId === 101 && extensions.coingeckoId !== undefined && !isLeftOut)
          put(lists, 'solana:mainnet-beta', [address, symbol, name, decimals]);
      }
    },
  },
];

// Parsed JSON of packages whose shape is theirs; what does not fit fails in `put`.
// biome-ignore lint/suspicious/noExplicitAny: as above.
type Any = any;

function readJson(folder: string, path: string): Any {
  return JSON.parse(readFileSync(join(folder, path), 'utf8'));
}

const forms: Readonly<Record<string, RegExp>> = { evm: /^0x[0-9a-f]{40}$/, solana: /^[1-9A-HJ-NP-Za-km-z]{32,44}$/ };

/** The first source that names a token wins. */
function put(lists: Lists, chain: string, [address, symbol, name, decimals]: Row): void {
  const form = forms[chain.slice(0, chain.indexOf(':'))];
  const isText = (text: unknown) => typeof text === 'string' && text.trim() !== '' && text.length <= 80;
  if (!form?.test(address) || !isText(symbol) || !isText(name)) return;
  lists[chain] ??= new Map();
  const row: Row = decimals === undefined ? [address, symbol.trim(), name.trim()] : [address, symbol, name, decimals];
  if (!lists[chain].has(address)) lists[chain].set(address, row);
}

/** Ronin has no package: these are contracts that the rules about Axie Infinity name. */
const ronin: readonly Row[] = [
  ['0x32950db2a7164ae833121501c797d79e7b79d74c', 'AXIE', 'Axie'],
  ['0x97a9107c1793bc407d6f527b77e7fff4d812bece', 'AXS', 'Axie Infinity Shard', 18],
  ['0xa96660f0e4a3e9bc7388925d245a6d4d79e21259', 'ITEM', 'Axie Land Item'],
  ['0x8c811e3c958e190f5ec15fb376533a3398620500', 'LAND', 'Axie Land'],
  ['0xa8754b9fa15fc18bb59458815510e40a12cd2014', 'SLP', 'Smooth Love Potion', 0],
  ['0xc99a6a985ed2cac1ef41640596c5a5f9f4e19ef5', 'WETH', 'Ronin Wrapped Ether', 18],
  ['0xe514d9deb7966c8be0ca922de8a064264ea6bcd4', 'WRON', 'Wrapped RON', 18],
];

const scratch = mkdtempSync(join(tmpdir(), 'token-index-'));
try {
  const lists: Lists = {};
  const licences: string[] = [];
  for (const { name, version, licence: spdx, licenceStart, take } of sources) {
    const folder = join(scratch, name.replace('/', '+'));
    mkdirSync(folder);
    const file = execFileSync('npm', ['pack', '--silent', `${name}@${version}`], { cwd: folder, encoding: 'utf8' });
    execFileSync('tar', ['xzf', file.trim().split('\n').at(-1) ?? ''], { cwd: folder });
    const licence = readFileSync(join(folder, 'package/LICENSE'), 'utf8');
    if (!licenceStart.test(licence)) throw new Error(`The licence file of ${name} is another one than expected.`);
    // The text of Apache-2.0 is in this repository already.
    if (spdx !== 'Apache-2.0') licences.push(`${name} ${version}\n\n${licence.trim()}\n`);
    take(join(folder, 'package'), lists);
  }
  for (const row of ronin) put(lists, 'evm:2020', row);
  const chains = Object.keys(lists).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const rowsOf = (chain: string) =>
    [...(lists[chain]?.values() ?? [])]
      .toSorted((a, b) => (a[1].toLowerCase() < b[1].toLowerCase() ? -1 : 1))
      .map((row) => `      ${JSON.stringify(row)}`)
      .join(',\n');
  const notes = [
    ...sources.map(({ name, version, licence, what }) => `${name} ${version} (npm, ${licence}): ${what}.`),
    'Chain evm:2020: the contracts of Axie Infinity, see ../axie-infinity/contracts.json.',
  ];
  const body = chains.map((chain) => `    ${JSON.stringify(chain)}: [\n${rowsOf(chain)}\n    ]`).join(',\n');
  const text = `{\n  "sources": ${JSON.stringify(notes, undefined, 2).replaceAll('\n', '\n  ')},\n  "chains": {\n${body}\n  }\n}\n`;
  if (text.length > maxBytes) throw new Error(`The index has ${text.length} bytes, more than ${maxBytes}.`);
  writeFileSync(target, text);
  writeFileSync(licencesTarget, licences.join('\n---\n\n'));
  for (const chain of chains) console.log(`${chain}: ${lists[chain]?.size}`);
  console.log(`${text.length} bytes`);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
