import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type IndexFile, indexFileName, openEngine } from '@latchkey/server/docs-search';
import { volume } from '@latchkey/test-kit';
import { siteFolder } from '../config/folders.ts';
import fresh from './fresh-questions.json' with { type: 'json' };
import heldOut from './held-out-questions.json' with { type: 'json' };
import independent from './independent-questions.json' with { type: 'json' };
import known from './known-questions.json' with { type: 'json' };
import measured from './measured-questions.json' with { type: 'json' };
import questions from './questions.json' with { type: 'json' };
import unseen from './unseen-questions.json' with { type: 'json' };

const file = join(siteFolder, indexFileName);
const tagsOfDocs = ['default', 'help-docs', 'operators', 'dao', 'telefrens'].map((id) => `docs-${id}-current`);

/**
 * The weights of the search, its synonyms and what pages list as asked were chosen by the first six lists. The last was written by
 * somebody who knew none of them, and was only measured; whoever tunes by it writes another first.
 */
const lists = [
  { name: 'the first known questions', questions, least: { first: 30, firstThree: 30 } },
  { name: 'the second known questions', questions: heldOut, least: { first: 30, firstThree: 30 } },
  { name: 'the third known questions', questions: unseen, least: { first: 30, firstThree: 30 } },
  { name: 'the fourth known questions', questions: fresh, least: { first: 30, firstThree: 30 } },
  { name: 'the fifth known questions', questions: known, size: 60, least: { first: 56, firstThree: 60 } },
  { name: 'the sixth known questions', questions: measured, size: 60, least: { first: 57, firstThree: 60 } },
  {
    name: 'questions that were not used for tuning',
    questions: independent,
    size: 120,
    least: { first: 112, firstThree: 118 },
  },
];

let opened: ReturnType<typeof openEngine> | undefined;

test('each page and each resource of the API lists what its readers ask', {
  skip: existsSync(file) ? false : 'the portal has not been built',
}, () => {
  const { pages } = JSON.parse(readFileSync(file, 'utf8')) as IndexFile;
  const poor = pages.filter(
    ({ tag, call, questions: asked = [] }) =>
      call === undefined && (tag === 'default' || tagsOfDocs.includes(tag)) && asked.length < 8,
  );
  assert.deepEqual(
    poor.map(({ path }) => path),
    [],
  );
});

/** An operation stands on the page of its resource. */
const pathOf = ({ path }: { path: string }) => path.split('#')[0] ?? path;

const sections = [undefined, ...tagsOfDocs];
/** Another one for each list; all of them in the deep run. */
const sectionsFor = (turn: number) => {
  const first = turn % sections.length;
  return [...sections.slice(first), ...sections.slice(0, first)].slice(0, volume(1, sections.length));
};

for (const [turn, { name, questions: asked, least, size = 30 }] of lists.entries())
  test(`${name} find their page`, {
    skip: existsSync(file) ? false : 'the portal has not been built',
  }, async (t) => {
    opened ??= openEngine(JSON.parse(readFileSync(file, 'utf8')) as IndexFile);
    const engine = await opened;
    assert.equal(asked.length, size);
    for (const here of sectionsFor(turn)) {
      const places = asked.map(({ question, routes }) => {
        const found = engine.find(question, { language: 'en', tags: tagsOfDocs, ...(here !== undefined && { here }) });
        return { question, place: found.findIndex(({ page }) => routes.includes(pathOf(page))) + 1 };
      });
      const first = places.filter(({ place }) => place === 1).length;
      const missed = places.filter(({ place }) => place === 0 || place > 3);
      t.diagnostic(`From ${here ?? 'nowhere'}: ${first} first, ${asked.length - missed.length} in the first three.`);
      assert.ok(first >= least.first, `From ${here}: ${first} are first.`);
      assert.ok(asked.length - missed.length >= least.firstThree, JSON.stringify(missed));
    }
  });
