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
const skip = existsSync(file) ? false : 'the portal has not been built';
const tagsOfDocs = ['default', 'help-docs', 'operators', 'dao', 'telefrens'].map((id) => `docs-${id}-current`);
const maxKeywords = 8;

/** The keywords of pages were chosen with both lists in sight: they show that nothing got worse, not how a new question fares. */
const lists = [
  {
    name: 'the six older lists of questions',
    questions: [questions, heldOut, unseen, fresh, known, measured].flat(),
    size: 240,
    least: { first: 190, firstThree: 220 },
  },
  { name: 'the 120 questions', questions: independent, size: 120, least: { first: 100, firstThree: 110 } },
];

let opened: ReturnType<typeof openEngine> | undefined;

test('keywords are single words, at most eight of them, and each page and resource of the API has some', {
  skip,
}, () => {
  const { pages } = JSON.parse(readFileSync(file, 'utf8')) as IndexFile;
  const wrong = pages.filter(
    ({ keywords = [] }) => keywords.length > maxKeywords || keywords.some((keyword) => /\s/.test(keyword)),
  );
  const none = pages.filter(
    ({ tag, call, path, keywords = [] }) =>
      call === undefined && keywords.length === 0 && (tagsOfDocs.includes(tag) || path.startsWith('/apis/')),
  );
  assert.deepEqual(
    wrong.map(({ path }) => path),
    [],
  );
  assert.deepEqual(
    none.map(({ path }) => path),
    ['/docs/category/general-concepts', '/apis/'],
  );
});

/** An operation is on the page of its resource. */
const pathOf = ({ path }: { path: string }) => path.split('#')[0] ?? path;

const sections = [undefined, ...tagsOfDocs];
/** Another one for each list; all of them in the deep run. */
const sectionsFor = (turn: number) => {
  const first = turn % sections.length;
  return [...sections.slice(first), ...sections.slice(0, first)].slice(0, volume(1, sections.length));
};

for (const [turn, { name, questions: requested, least, size }] of lists.entries())
  test(`${name} find their page`, { skip }, async (t) => {
    opened ??= openEngine(JSON.parse(readFileSync(file, 'utf8')) as IndexFile);
    const engine = await opened;
    assert.equal(requested.length, size);
    for (const here of sectionsFor(turn)) {
      const places = requested.map(({ question, routes }) => {
        const found = engine.find(question, { language: 'en', tags: tagsOfDocs, ...(here !== undefined && { here }) });
        return { question, place: found.findIndex(({ page }) => routes.includes(pathOf(page))) + 1 };
      });
      const first = places.filter(({ place }) => place === 1).length;
      const missed = places.filter(({ place }) => place === 0 || place > 3);
      t.diagnostic(
        `From ${here ?? 'nowhere'}: ${first} first, ${requested.length - missed.length} in the first three.`,
      );
      assert.ok(first >= least.first, `From ${here}: ${first} are first.`);
      assert.ok(requested.length - missed.length >= least.firstThree, JSON.stringify(missed));
    }
  });
