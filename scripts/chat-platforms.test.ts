import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { chatPlatforms, platformNames } from '@latchkey/kernel';
import { isTestFile } from './architecture/sources.ts';

const root = resolve(import.meta.dirname, '..');
const table = 'packages/kernel/src/chat-platforms.ts';

/** Files that name several platforms besides the table, each with the reason why it is not a list to keep in sync. */
const allowed: Readonly<Record<string, string>> = {
  'apps/console/src/parts/line-icon.ts': 'draws the icons that it knows, and a wallet for the rest',
  'apps/console/src/shared/platform-mark.tsx': 'draws the marks that it knows, and a plain one for the rest',
  'apps/console/src/community/new/view.tsx': 'adds the bot of some in their own way, and of the rest by their row',
  'apps/console/src/community/setup/join-button.tsx': 'offers the join message of those whose bots can post one',
  'apps/portal/src/components/needs-setup/parts.ts':
    'says where each part of a server is set up; a test compares it with the server',
  'packages/core/src/surfaces/admin-notices/check-setup.ts':
    'asks some platforms by their own port, and the rest by RoleHost',
  'packages/core/src/surfaces/admin-notices/notify.ts':
    'notifies through some platforms in their own way, and by mail for the rest',
  'packages/core/src/surfaces/my-roles/opened-places.ts': 'reads what a role opens through those ports',
  'packages/core/src/surfaces/setup/chat-platform-list.ts': 'writes the invite links of some platforms',
  'packages/core/src/surfaces/setup/check-setup.ts': 'asks some platforms by their own port, and the rest by RoleHost',
  'packages/core/src/surfaces/setup/join-message.ts': 'posts the join message through those ports',
  'packages/core/src/communities/community-records/queries.ts':
    'finds a Telegram group that became a supergroup by its new id',
  'packages/core/src/shared/context.ts': 'each platform has a port of its own',
  'packages/core/src/partners/snapshot/post-proposal.ts': 'posts through those ports',
  'packages/core/src/identity/link-attempts/queries.ts': 'the services that people allow something on, X among them',
  'packages/core/src/services/security-notices/notice.ts': 'writes to a user through those ports',
  'packages/core/src/port-guards/index.ts': 'names the ports that it guards',
  'packages/server/src/cli/doctor/examine-installation.ts': 'asks bots through those ports',
  'packages/server/src/compose/listen.ts': 'names adapters',
  'packages/server/src/compose/platforms.ts': 'names adapters; a guard of the server compares it with the table',
  'packages/server/src/run/listen.ts': 'sets the commands of each bot through its port',
  'packages/server/src/portal/parts.ts': 'says by which settings each part of a server is set up',
  'packages/emulators/src/sample-world/accounts.ts': 'emulators import nothing of ours',
  'packages/emulators/src/sample-world/start.ts': 'emulators import nothing of ours',
  'packages/server/src/sandbox/sample-note.ts': 'removes the sample server and the sample subreddit',
  'packages/server/src/sandbox/seed.ts': 'adds the sample server and the sample subreddit',
  'scripts/conformance/person.ts': 'an outside client, which imports nothing of ours',
  'scripts/conformance/run.ts': 'an outside client, which imports nothing of ours',
  'scripts/recipes/chat-platform.ts': 'adds a platform, so that a test can follow the recipe',
};

interface Source {
  path: string;
  text: string;
}

function readSources(): Source[] {
  const patterns = [
    'packages/*/src/**/*.{ts,tsx}',
    'apps/*/{src,facts}/**/*.{ts,tsx}',
    '{scripts,bench}/**/*.{ts,mjs}',
  ];
  return globSync(patterns, { cwd: root, exclude: (path) => path.includes('node_modules') })
    .filter((path) => !isTestFile(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** Returns the platforms that a file names as values: as a string, as an object key, or by the prefix of their ids. */
function platformsIn({ text }: Source): string[] {
  const code = text.replace(/^\s*(\/\/|\/?\*).*$/gm, '');
  return platformNames.filter((name) => {
    const { title, prefix } = chatPlatforms[name];
    return new RegExp(`(['"\`])(${name}|${title})\\1|\\b${name}: |\\b${prefix}\\b`).test(code);
  });
}

function findLists(sources: readonly Source[]): string[] {
  return sources.filter((source) => source.path !== table && platformsIn(source).length > 1).map(({ path }) => path);
}

test('chat platforms are listed only in their table, so that a new row reaches every list', () => {
  assert.deepEqual(findLists(readSources()).sort(), Object.keys(allowed).sort());
});

test('a second list is noticed, however it is written', () => {
  const lists = [
    "const names = ['discord', 'telegram'];",
    'const titles = { discord: "x", reddit: "y" };',
    "const titles = ['Telegram', 'Reddit'];",
    'const form = /^(DIS|TEL)#USER#/;',
  ];
  const others = [
    "const name = 'discord';",
    '// discord: or telegram: or DIS or TEL',
    'say(`Discord, Telegram or Reddit`);',
  ];
  const sources = [...lists, ...others].map((text, index) => ({ path: `${index}.ts`, text }));
  assert.deepEqual(findLists(sources), ['0.ts', '1.ts', '2.ts', '3.ts']);
});
