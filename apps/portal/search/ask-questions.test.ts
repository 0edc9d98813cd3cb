import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type IndexFile, indexFileName, openEngine } from '@latchkey/server/docs-search';
import { siteFolder } from '../config/folders.ts';
import { answer } from '../src/ask/answer.ts';
import { serverFacts } from '../src/ask/server-facts.ts';
import asked from './ask-questions.json' with { type: 'json' };

const file = join(siteFolder, indexFileName);
const skip = existsSync(file) ? false : 'the portal has not been built';
const tags = ['default', 'help-docs', 'operators', 'dao', 'telefrens'].map((id) => `docs-${id}-current`);

/** What the settings of a server may say. */
const server = {
  setUp: { telegram: true, selling: true },
  networks: [{ chainId: 137, description: 'Polygon', names: ['polygon', 'matic'], hidden: false }],
};

/** The questions were written before the answers were changed. The code knows none of them; some headings were reworded since. */
const least = { first: 34, amongThree: 40, notInvented: 9, aboutServer: 4 };

test('questions are answered from the section that answers, from the settings of the server, or with No', {
  skip,
}, async (t) => {
  const engine = await openEngine(JSON.parse(readFileSync(file, 'utf8')) as IndexFile);
  const count = { first: 0, amongThree: 0, notInvented: 0, aboutServer: 0 };
  for (const { question, sections, expect } of asked) {
    const found = answer(engine, question, { language: 'en', tags });
    const paths = found.kind === 'known' ? found.passages.map(({ path }) => path.replace(/\/(?=#|$)/, '')) : [];
    const facts = serverFacts(question, server).map(({ about }) => about);
    const place = paths.findIndex((path) => sections?.includes(path));
    if (place === 0) count.first += 1;
    if (place >= 0) count.amongThree += 1;
    if (expect?.answer === 'no' && paths.length + facts.length === 0) count.notInvented += 1;
    if (expect?.server !== undefined && facts.includes(expect.server)) count.aboutServer += 1;
    if (place !== 0) t.diagnostic(`${question} ${[...facts, ...paths].join(' ')}`);
  }
  t.diagnostic(JSON.stringify(count));
  for (const [name, value] of Object.entries(least))
    assert.ok(count[name as keyof typeof count] >= value, `${name}: ${count[name as keyof typeof count]}`);
});
