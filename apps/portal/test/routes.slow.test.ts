import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { portalFolder, siteFolder } from '../config/folders.ts';
import routes from '../config/routes.json' with { type: 'json' };
import { attributeOf, type Element, elementsOf, readTree, textOf } from '../finish/tree.ts';
import { operationPath, tagPath } from '../reference/addresses.ts';
import { areaOf, splitResource } from '../reference/areas.ts';
import { listOperations, resourceOf } from '../reference/openapi.ts';
import { type OpenSite, openSite } from './site.ts';

const siteTitle = 'Latchkey documentation';
const strip = (path: string) => path.replace(/(?<=.)\/$/, '');
const fileOf = (path: string) => (path.endsWith('.html') ? path : join(path, 'index.html'));

function readElements(path: string): Element[] {
  return [...elementsOf(readTree(readFileSync(join(siteFolder, fileOf(path)), 'utf8')))];
}

/** Returns the text of the first `<meta>` or `<link>` of a kind. */
function headText(elements: readonly Element[], key: 'name' | 'rel' | 'http-equiv', value: string): string | undefined {
  const found = elements.find((element) => attributeOf(element, key) === value);
  return found && (attributeOf(found, 'content') ?? attributeOf(found, 'href'));
}

const refreshOf = (elements: readonly Element[]) => headText(elements, 'http-equiv', 'refresh');

/** Reads every built page with its elements. */
function readBuiltPages(): Map<string, Element[]> {
  const files = readdirSync(siteFolder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.html'));
  const paths = files.map(
    (name) =>
      `/${name
        .split(sep)
        .join('/')
        .replace(/(^|\/)index\.html$/, '')}`,
  );
  return new Map(paths.map((path) => [path, readElements(path)]));
}

/** One page for each operation, resource and area of the API, and one for webhooks. */
function listResourcePages(): string[] {
  const api = JSON.parse(readFileSync(join(siteFolder, 'apis/openapi.json'), 'utf8'));
  const operations = listOperations(api);
  return [
    tagPath('webhooks'),
    tagPath(splitResource),
    ...operations.map(({ path, described }) => tagPath(areaOf(resourceOf(described), path))),
    ...operations.map(({ described }) => operationPath(resourceOf(described), described.operationId)),
  ];
}

/** One page for each file of the second version of the docs. */
function listOlderPages(): string[] {
  const folder = join(portalFolder, 'versioned_docs/version-0.64');
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) =>
      name
        .split(sep)
        .join('/')
        .replace(/(\/index)?\.md$/, ''),
    )
    .map((name) => `/docs/0.64/${name}`);
}

describe('the routes of the site', () => {
  let site: OpenSite;
  let built: Map<string, Element[]>;
  before(async () => {
    site = await openSite();
    built = readBuiltPages();
  });
  after(() => site?.close());

  const ask = (path: string) => fetch(`${site.url}${path}`, { redirect: 'manual' });

  test('all exist, with the resources of the API and the second version of the docs, and all others are redirects', () => {
    const [resources, older] = [listResourcePages(), listOlderPages()];
    assert.notEqual(resources.length, 0);
    assert.notEqual(older.length, 0);
    const wanted = new Set([...routes.map(({ path }) => strip(path)), ...resources, ...older]);
    assert.deepEqual(
      [...wanted].filter((path) => !built.has(path)),
      [],
    );
    const beside = [...built.keys()].filter((path) => !wanted.has(path));
    const redirecting = beside.filter((path) => refreshOf(built.get(path) ?? []) !== undefined);
    assert.deepEqual(beside, redirecting);
    const from = routes.flatMap(({ redirectFrom = [] }) => redirectFrom.map(strip)).filter((path) => !wanted.has(path));
    assert.deepEqual(redirecting.toSorted(), from.toSorted());
  });

  test('have the title of their page before the name of the site, and the home page has only the name', () => {
    for (const { path, title } of routes) {
      const shown = built.get(strip(path))?.find(({ tagName }) => tagName === 'title');
      assert.ok(shown, path);
      // The search page adds the query to its title as soon as it runs.
      const own = path === '/search' ? 'Search the documentation' : title;
      assert.equal(textOf(shown), path === '/' ? siteTitle : `${own} | ${siteTitle}`);
    }
  });

  test('have one first-level heading, a description and their own address', () => {
    for (const [path, elements] of built) {
      if (refreshOf(elements) !== undefined) continue;
      const headings = elements.filter(({ tagName }) => tagName === 'h1').map(textOf);
      assert.equal(headings.length, 1, `${path} has these headings of the first level: ${headings.join(', ')}`);
      assert.notEqual(headings[0]?.trim(), '', path);
      assert.ok((headText(elements, 'name', 'description') ?? '').length > 10, `${path} has no description`);
      const canonical = headText(elements, 'rel', 'canonical');
      assert.equal(canonical && strip(new URL(canonical).pathname), strip(path));
    }
  });

  test('are served at their address', async () => {
    for (const { path } of routes.filter(({ kind }) => kind !== 'generated')) {
      const answer = await ask(path);
      assert.equal(answer.status, 200, path);
      await answer.body?.cancel();
    }
  });

  test('are reached from older addresses and other spellings, through servers and pages', async () => {
    const moved = routes.flatMap(({ path, redirectFrom = [] }) => redirectFrom.map((from) => ({ from, path })));
    assert.notEqual(moved.length, 0);
    for (const { from, path } of moved) {
      const answer = await ask(from);
      // Without a trailing slash, it is the same page.
      assert.equal(answer.status, strip(path) === from ? 200 : 301, from);
      if (strip(path) === from) continue;
      assert.equal(answer.headers.get('location'), path);
      assert.match(refreshOf(built.get(from) ?? []) ?? '', new RegExp(`url=${path}$`, 'i'));
    }
  });

  for (const [section, first] of [
    ['docs', '/docs/intro'],
    ['help-docs', '/help-docs/intro'],
    ['dao', '/dao/intro'],
  ] as const)
    test(`of ${section} follow each other as their positions say`, () => {
      const order: string[] = [];
      for (let path: string | undefined = first; path !== undefined; path = nextOf(readElements(path)))
        order.push(strip(path));
      const known = routes.filter(({ path }) => path.startsWith(`/${section}/`));
      assert.deepEqual(order.toSorted(), known.map(({ path }) => strip(path)).toSorted());
      const placeOf = (path: string) => order.indexOf(strip(path));
      for (const one of known)
        for (const other of known)
          if (comesBefore(one, other))
            assert.ok(placeOf(one.path) < placeOf(other.path), `${one.path} comes after ${other.path}`);
    });
});

type Route = (typeof routes)[number];

/** Whether both are adjacent in the sidebar, in this order. A page that ends in a slash represents its folder. */
function comesBefore(one: Route, other: Route): boolean {
  const isPage = !one.path.endsWith('/') && !other.path.endsWith('/');
  const isBeside = isPage && dirname(one.path) === dirname(other.path);
  return isBeside && (one.sidebarPosition ?? Number.NaN) < (other.sidebarPosition ?? Number.NaN);
}

function nextOf(elements: readonly Element[]): string | undefined {
  const link = elements.find((element) => attributeOf(element, 'class')?.includes('pagination-nav__link--next'));
  return link && attributeOf(link, 'href');
}
