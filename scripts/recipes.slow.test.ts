import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { volume } from '@latchkey/test-kit';
import { readSources } from './architecture/sources.ts';
import { botCommand } from './recipes/bot-command.ts';
import { chain } from './recipes/chain.ts';
import { chatPlatform } from './recipes/chat-platform.ts';
import { metric } from './recipes/metric.ts';
import { operation } from './recipes/operation.ts';
import { openTree, type Recipe } from './recipes/recipe.ts';
import { ruleKind } from './recipes/rule-kind.ts';
import { screen } from './recipes/screen.ts';
import { setting } from './recipes/setting.ts';
import { walletNamespace } from './recipes/wallet-namespace.ts';

const root = resolve(import.meta.dirname, '..');
const recipes: readonly Recipe[] = [
  operation,
  ruleKind,
  chain,
  walletNamespace,
  chatPlatform,
  screen,
  botCommand,
  metric,
  setting,
];

const sources = readSources();

/** What a checkout does not contain. */
const untracked = ['node_modules', '.git', '.runtime', 'data', 'dist', 'coverage', 'shots', '.docusaurus'];

/** Copies the repository. npm packages are links to the installed ones; our own are links into the copy. */
function copyRepository(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'latchkey-recipes-')));
  cpSync(root, copy, { recursive: true, filter: (path) => !untracked.includes(basename(path)) });
  const homes = ['packages', 'apps'].flatMap((home) => readdirSync(join(root, home)).map((name) => `${home}/${name}`));
  for (const home of ['.', ...homes]) {
    const installed = join(root, home, 'node_modules');
    for (const name of listFolder(installed).filter((one) => one !== '@latchkey')) {
      mkdirSync(join(copy, home, 'node_modules'), { recursive: true });
      symlinkSync(join(installed, name), join(copy, home, 'node_modules', name));
    }
  }
  mkdirSync(join(copy, 'node_modules/@latchkey'));
  for (const home of homes) symlinkSync(join(copy, home), join(copy, 'node_modules/@latchkey', basename(home)));
  return copy;
}

function listFolder(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

describe('the recipes of CONTRIBUTING.md', () => {
  let copy: string;
  const affected = new Map(recipes.map((recipe) => [recipe, new Set<string>()]));
  before(() => {
    copy = copyRepository();
  });
  after(() => rmSync(copy, { recursive: true, force: true }));

  for (const recipe of recipes) {
    test(`to ${recipe.title} touches at most ${recipe.atMost} files, and the recipe names them`, () => {
      const paths = affected.get(recipe) ?? new Set();
      recipe.apply(openTree(copy, paths));
      const counted = [...paths].filter((path) => !path.startsWith(`${recipe.folder}/`));
      assert.ok(counted.length <= recipe.atMost, counted.join('\n'));
      const section = sectionOf(recipe);
      const named = [...counted.map(inRecipe), ...recipe.checks.map(inRecipe)];
      assert.deepEqual(
        named.filter((path) => !section.includes(`\`${path}\``)),
        [],
      );
    });

    test(`the names in code of the recipe to ${recipe.title} are in what it writes, or exported`, () => {
      const paths = [...(affected.get(recipe) ?? [])];
      const written = paths.map((path) => readFileSync(join(copy, path), 'utf8')).join('\n');
      assert.notEqual(written, '', 'the recipe was followed');
      assert.deepEqual(
        namesIn(sectionOf(recipe)).filter((name) => !isKnown(name, written)),
        [],
      );
    });
  }

  // Each takes as long as the same check of this tree.
  const skip = volume(0, 1) === 0 && 'for npm run test:deep';

  test('keep the types correct', { skip }, async () => {
    const config = JSON.parse(readFileSync(join(copy, 'tsconfig.json'), 'utf8'));
    // The tests of the tree take half of the time, and those that a recipe names are run anyway.
    const exclude = [...config.exclude, '**/*.test.ts', '**/*.suite.ts', '**/test/**', 'bench', 'scripts'];
    writeFileSync(join(copy, 'tsconfig.json'), JSON.stringify({ ...config, exclude }));
    const { code, output } = await run('node_modules/typescript/bin/tsc', ['-p', 'tsconfig.json', '--checkers', '1']);
    assert.equal(code, 0, output);
  });

  test('pass the tests that they name', { skip }, async () => {
    const files = [...new Set(recipes.flatMap(({ checks }) => checks))];
    const { code, output } = await run('--test', ['--test-isolation=none', '--test-reporter=dot', ...files]);
    assert.equal(code, 0, output);
  });

  /** Runs a program in the copy. The databases of the test run have the migrations of the original tree, so it uses its own. */
  function run(program: string, args: readonly string[]): Promise<{ code: number | null; output: string }> {
    const { LATCHKEY_TEST_CLUSTER: _cluster, NODE_TEST_CONTEXT: _context, ...env } = process.env;
    const child = spawn(process.execPath, [program, ...args], { cwd: copy, env: { ...env, GOGC: '400' } });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
  }
});

/** Returns the names in inline code, such as `pageOf`, `read(questions)` and `RoleHost.findFaults`; commands and paths are none. */
function namesIn(section: string): string[] {
  const inline = section.replace(/```.*?```/gs, '').matchAll(/`([^`]+)`/g);
  return [...inline].flatMap(([, code = '']) => {
    const [, name] = /^((?:\w+\.)?[A-Za-z]\w*)(?:\(.*\))?$/s.exec(code) ?? [];
    return name === undefined || /\.tsx?$/.test(name) ? [] : [name];
  });
}

/** Whether a name stands in what a recipe wrote or is exported; a member of an exported type stands in its file, any other is used somewhere. */
function isKnown(name: string, written: string): boolean {
  const [owner = '', member] = name.split('.');
  const exports = new RegExp(
    `^export (?:async )?(?:abstract )?(?:class|const|function|interface|type) ${owner}\\b`,
    'm',
  );
  const home = sources.find(({ text }) => exports.test(text));
  if (member === undefined) return home !== undefined || new RegExp(`\\b${name}\\b`).test(written);
  if (home !== undefined) return new RegExp(`\\b${member}\\b`).test(home.text);
  return sources.some(({ text }) => text.includes(`${name}(`));
}

/** Migrations are numbered when they are written, so the number is not part of a recipe. */
function inRecipe(path: string): string {
  return path.replace(/^packages\/db\/migrations\/.*/, 'packages/db/migrations/NNNN-name.sql');
}

function sectionOf({ title }: Recipe): string {
  const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
  const section = text.split(/^## /m).find((part) => part.startsWith(`Recipe: ${title}\n`));
  assert.ok(section, `CONTRIBUTING.md has no recipe to ${title}.`);
  return section;
}
