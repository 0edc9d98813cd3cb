import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { portalFolder } from './folders.ts';

const folder = join(portalFolder, 'help-docs');
const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.md'))
  .map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));

/** What every reader sees: a page without the tabs for operators and developers. */
function forEverybody(text: string): string {
  return text.replaceAll(/<TabItem value="(?:operators|programmers)"[\s\S]*?<\/TabItem>/g, '');
}

describe('help pages', () => {
  test('show shell commands only in tabs for operators and programmers', () => {
    assert.ok(pages.length > 60);
    const showing = pages.filter(({ text }) => /\bcurl\b|```(?:bash|sh|shell)\b/.test(forEverybody(text)));
    assert.deepEqual(
      showing.map(({ path }) => path),
      [],
    );
  });

  test('of the Command Center each show a real screen to every reader', () => {
    const ofConsole = pages.filter(({ path }) => path.startsWith('command-center/'));
    assert.ok(ofConsole.length >= 16);
    const without = ofConsole.filter(({ text }) => !forEverybody(text).includes('<Screenshot of="'));
    assert.deepEqual(
      without.map(({ path }) => path),
      [],
    );
  });

  test('that name a button of the console or of the wallet page show it, or link to a page that does', () => {
    const named = pages.filter(
      ({ path, text }) => /^(?:wallets|marketplace)\//.test(path) && /\*\*[^*]+\*\*/.test(forEverybody(text)),
    );
    const hasPicture = (text: string) => text.includes('<Screenshot of="');
    const illustrated = pages
      .filter(({ text }) => hasPicture(text))
      .map(({ path }) => path.replace(/(\/index)?\.md$/, ''));
    const without = named.filter(
      ({ text }) => !hasPicture(text) && !illustrated.some((path) => new RegExp(`/help-docs/${path}[)#]`).test(text)),
    );
    assert.deepEqual(
      without.map(({ path }) => path),
      [],
    );
  });
});
