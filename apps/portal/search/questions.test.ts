import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type IndexFile, indexFileName, openEngine } from '@latchkey/server/docs-search';
import { siteFolder } from '../config/folders.ts';
import heldOut from './held-out-questions.json' with { type: 'json' };
import questions from './questions.json' with { type: 'json' };

const file = join(siteFolder, indexFileName);
const tagsOfDocs = ['default', 'help-docs', 'operators', 'dao', 'telefrens'].map((id) => `docs-${id}-current`);

/** Two lists of thirty: one that the weights of the search were chosen by, and one that was written before and not used for that. */
const lists = [
  { name: 'known questions', questions, least: { first: 26, firstThree: 29 } },
  { name: 'questions that were not used for tuning', questions: heldOut, least: { first: 20, firstThree: 27 } },
];

for (const { name, questions: asked, least } of lists)
  test(`${name} find their page, from every section`, {
    skip: existsSync(file) ? false : 'the portal has not been built',
  }, async (t) => {
    const engine = await openEngine(JSON.parse(readFileSync(file, 'utf8')) as IndexFile);
    assert.equal(asked.length, 30);
    for (const here of [undefined, ...tagsOfDocs]) {
      const places = asked.map(({ question, routes }) => {
        const found = engine.find(question, { language: 'en', tags: tagsOfDocs, ...(here !== undefined && { here }) });
        return { question, place: found.findIndex(({ page }) => routes.includes(page.path)) + 1 };
      });
      const first = places.filter(({ place }) => place === 1).length;
      const missed = places.filter(({ place }) => place === 0 || place > 3);
      t.diagnostic(`From ${here ?? 'nowhere'}: ${first} first, ${asked.length - missed.length} in the first three.`);
      assert.ok(first >= least.first, `From ${here}: ${first} are first.`);
      assert.ok(asked.length - missed.length >= least.firstThree, JSON.stringify(missed));
    }
  });
