import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { portalParts } from '@latchkey/server/portal';
import { pageFolders } from '../config/page-folders.ts';
import { parts } from '../src/components/needs-setup/parts.ts';
import { routes } from './check-page.ts';

const root = join(import.meta.dirname, '..');

const pages = pageFolders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.mdx?$/.test(name))
    .map((name) => ({ file: `${folder}/${name}`, text: readFileSync(join(root, folder, name), 'utf8') })),
);

const neededBy = (text: string) =>
  [...text.matchAll(/<NeedsSetup\b(?: part="([^"]*)")?/g)].map(([, part]) => part ?? 'no part');

/** What the address of a page calls a part, where it is not the name of the part. */
const aliases: Readonly<Record<string, string>> = {
  'add-the-bot': 'discord',
  'before-adding-the-bot': 'discord',
  'bitcoin-tgr': 'bitcoin',
  channels: 'discord',
  ERC1155: 'evm',
  ERC721: 'evm',
  'friend-tech-tgr': 'base',
  'ft-wallet': 'base',
  'gm-pass': 'hosted-wallets',
  'gtc-passport': 'gitcoin',
  'join-tg-group': 'telegram',
  staked: 'evm',
  'matrix-setup': 'matrix',
  'telegram-setup': 'telegram',
  'tg-commands': 'telegram',
  'wallet-connect': 'walletconnect',
};

/** Settings without which what a page tells does not work. */
const setting =
  /LATCHKEY_(?:CHAIN_URLS|EVM_RPC_URLS|SERVICE_KEYS|TELEGRAM|DISCORD|REDDIT|MATRIX|WALLETCONNECT|SELL_PLANS|REGISTRY|WAITING_LIST)/;
/** It is about permissions in Discord, and names a setting for those who make the invite link themselves. */
const others = new Set(['help-docs/errors/Permissions.md']);

test('the parts that pages need are those that the server reports, and each is named by a page', () => {
  assert.deepEqual(Object.keys(parts).sort(), [...portalParts].sort());
  const used = new Set(pages.flatMap(({ text }) => neededBy(text)));
  assert.deepEqual([...used].sort(), [...portalParts].sort());
});

test('a page whose address names a part says that it needs it', () => {
  const missing = pages.flatMap(({ file, text }) => {
    const name = file.replace(/^.*\//, '').replace(/\.mdx?$/, '');
    const part = aliases[name] ?? (name in parts ? name : undefined);
    if (!file.startsWith('help-docs/') || part === undefined || neededBy(text).includes(part)) return [];
    return [`${file} does not need ${part}`];
  });
  assert.deepEqual(missing, []);
});

test('a page for members and admins that names such a setting says which part it needs', () => {
  const silent = pages
    .filter(({ file, text }) => /^(?:help-docs|telefrens)\//.test(file) && setting.test(text) && !others.has(file))
    .filter(({ text }) => neededBy(text).length === 0);
  assert.deepEqual(
    silent.map(({ file }) => file),
    [],
  );
});

test('the line about a missing part is a sentence, and links to a page of the site', () => {
  const known = new Set(routes.map(({ path }) => path));
  for (const [name, { missing, to }] of Object.entries(parts)) {
    assert.match(missing, /^This server .*\.$/, name);
    assert.ok(known.has(to.replace(/#.*/, '')), `${name}: ${to}`);
  }
});
