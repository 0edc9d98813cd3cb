import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { siteFolder } from '../config/folders.ts';
import { openEngine } from '../src/search/engine.ts';
import { type IndexFile, indexFileName } from '../src/search/index-file.ts';
import questions from './questions.json' with { type: 'json' };

const file = join(siteFolder, indexFileName);
const context = {
  language: 'en',
  tags: ['default', 'help-docs', 'dao', 'telefrens'].map((id) => `docs-${id}-current`),
};
const leastAnswered = 27;

test('real questions find their page among the first three', {
  skip: existsSync(file) ? false : 'the portal has not been built',
}, async (t) => {
  const engine = await openEngine(JSON.parse(readFileSync(file, 'utf8')) as IndexFile);
  const places = questions.map(({ question, routes }) => ({
    question,
    place: engine.find(question, context).findIndex(({ page }) => routes.includes(page.path)) + 1,
  }));
  const missed = places.filter(({ place }) => place === 0 || place > 3);
  const firsts = places.filter(({ place }) => place === 1).length;
  t.diagnostic(`${places.length - missed.length} of ${places.length} in the first three, ${firsts} of them first.`);
  for (const { question, place } of missed) t.diagnostic(`Missed: ${question} (place ${place})`);
  assert.equal(questions.length, 30);
  assert.ok(places.length - missed.length >= leastAnswered);
});
