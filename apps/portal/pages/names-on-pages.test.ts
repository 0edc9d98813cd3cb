import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { portalFolder } from '../config/folders.ts';
import { guideFolders } from '../config/page-folders.ts';

const root = join(portalFolder, '../..');

function readSources(folder: string): string {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('.test.'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8').replaceAll(/\s+/g, ' '))
    .join('\n');
}

const consoleSource = readSources('apps/console/src');
const botSource = ['packages/core/src/surfaces', 'packages/core/src/shared/messages'].map(readSources).join('\n');

/** Whether a label stands in a source as a text of its own. An ellipsis in it stands for what differs each time. */
function isLabelOf(source: string, label: string): boolean {
  const words = label
    .replace(/[.:,]$/, '')
    .replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
    .replaceAll(/['’]/g, "['’]")
    .replaceAll('…', '.{0,60}?');
  return new RegExp(`['"\`>{}.] ?${words} ?['"\`<{}.$…]`).test(source);
}

/** Created by readers who follow the page. Only to be removed from. */
const ownFiles = ['deploy/compose/.env'];

interface Named {
  page: string;
  label: string;
}

function findOnPages(pattern: RegExp): Named[] {
  return guideFolders.flatMap((folder) =>
    readdirSync(join(portalFolder, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .flatMap((name) => {
        const text = readFileSync(join(portalFolder, folder, name), 'utf8').replaceAll(/\s+/g, ' ');
        const labels = [...text.matchAll(pattern)].flatMap(([, words = '']) => words.split(' → '));
        return labels.map((label) => ({ page: `${folder}/${name}`, label: label.trim() }));
      }),
  );
}

/** Names that stand for something else than a label, those of other services, and those with words put in. */
const exceptions: Readonly<Record<string, string>> = {
  // Only to be removed from.
  'your community': 'its name',
  Telegram: 'the name of the platform',
  Reddit: 'the name of the platform',
  Matrix: 'the name of the platform',
  'Roles & Permissions': 'of Element',
  'Security & Privacy': 'of Element',
  'API development tools': 'of Telegram',
  'Add requirement': 'of Discord',
  Create: 'of Discord',
  'Create Role': 'of Discord',
  'Edit Channel > Permissions': 'of Discord',
  'Linked Roles': 'of Discord',
  Links: 'of Discord',
  'New Application': 'of Discord',
  Permissions: 'of Discord',
  'Reset Secret': 'of Discord',
  'Reset Token': 'of Discord',
  'Server Settings': 'of Discord',
  'Server Settings > Roles': 'of Discord',
  'create an app': 'of Reddit',
  'Back to Discord': 'with the platform put in',
  'Open in MetaMask': 'with the wallet put in',
  'Open in Xverse': 'with the wallet put in',
  'Xverse (Ordinals address)': 'with the wallet put in',
};

const paths = findOnPages(/\*\*([^*]+ → [^*]+)\*\*/g);
const opened = findOnPages(/\b(?:[Pp]ress|[Oo]pen|[Tt]ap) \*\*([^*→]+)\*\*/g);

const isExcepted = (label: string) => Object.hasOwn(exceptions, label);

describe('names on pages', () => {
  test('of a path through the console, such as "Settings → Admins", are those that the console shows', () => {
    assert.ok(paths.length > 100, `${paths.length}`);
    const wrong = paths.filter(({ label }) => !isExcepted(label) && !isLabelOf(consoleSource, label));
    assert.deepEqual(wrong, []);
  });

  test('of what to press or open are those that the console or a bot shows', () => {
    assert.ok(opened.length > 200, `${opened.length}`);
    const unknown = opened.filter(({ label }) => !isExcepted(label) && !isLabelOf(consoleSource, label));
    assert.deepEqual(
      unknown.filter(({ label }) => !isLabelOf(botSource, label)),
      [],
    );
  });

  test('of files of the repository are those of existing files', () => {
    const files = findOnPages(/`((?:apps|bench|deploy|docs|packages|samples|scripts)\/[\w./@-]+)`/g);
    assert.ok(files.length > 20, `${files.length}`);
    const missing = files.filter(({ label }) => !ownFiles.includes(label) && !existsSync(join(root, label)));
    assert.deepEqual(missing, []);
  });

  test('that are exceptions are still used, and are no label of the console', () => {
    const named = new Set([...paths, ...opened].map(({ label }) => label));
    const idle = Object.keys(exceptions).filter((label) => !named.has(label) || isLabelOf(consoleSource, label));
    assert.deepEqual(idle, []);
  });
});
