import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type IndexFile, indexFileName, openEngine } from '@latchkey/server/docs-search';
import { siteFolder } from '../config/folders.ts';
import { answer } from '../src/ask/answer.ts';
import { serverFacts } from '../src/ask/server-facts.ts';
import first from './ask-questions.json' with { type: 'json' };
import second from './ask-questions-2.json' with { type: 'json' };

const file = join(siteFolder, indexFileName);
const skip = existsSync(file) ? false : 'the portal has not been built';
const tags = ['default', 'help-docs', 'operators', 'dao', 'telefrens'].map((id) => `docs-${id}-current`);

/** What the settings of a server may say. */
const server = {
  setUp: { telegram: true, selling: true },
  networks: [{ chainId: 137, description: 'Polygon', names: ['polygon', 'matic'], hidden: false }],
};

interface Asked {
  question: string;
  sections?: string[];
  /** A section that says no, whose first sentences are the answer. */
  denied?: string;
  expect?: { answer?: string; server?: string };
}

/**
 * The code knows none of the questions. Both lists were read before the engine was tuned; docs/portal.md has what it reached before. No
 * question without an answer may get one: each is refused, or answered with a sentence that says no.
 */
const lists: { name: string; asked: Asked[]; least: { first: number; amongThree: number; aboutServer: number } }[] = [
  { name: 'the first list', asked: first, least: { first: 34, amongThree: 44, aboutServer: 4 } },
  { name: 'the second list', asked: second, least: { first: 14, amongThree: 26, aboutServer: 0 } },
];

for (const { name, asked, least } of lists)
  test(`${name} of questions is answered from the section that answers, from the settings of the server, or with No`, {
    skip,
  }, async (t) => {
    const engine = await openEngine(JSON.parse(readFileSync(file, 'utf8')) as IndexFile);
    const count = { first: 0, amongThree: 0, aboutServer: 0 };
    const invented: string[] = [];
    for (const { question, sections, denied, expect } of asked) {
      const found = answer(engine, question, { language: 'en', tags });
      const paths = found.kind === 'known' ? found.passages.map(({ path }) => path.replace(/\/(?=#|$)/, '')) : [];
      const facts = serverFacts(question, server).map(({ about }) => about);
      const place = paths.findIndex((path) => sections?.includes(path));
      if (place === 0) count.first += 1;
      if (place >= 0) count.amongThree += 1;
      const saysNo = found.kind === 'known' && (found.denial !== undefined || paths[0] === denied);
      if (expect?.answer !== undefined && paths.length + facts.length > 0 && !saysNo) invented.push(question);
      if (expect?.server !== undefined && facts.includes(expect.server)) count.aboutServer += 1;
      if (place !== 0) t.diagnostic(`${question} ${[...facts, ...paths].join(' ')}`);
    }
    t.diagnostic(JSON.stringify(count));
    assert.deepEqual(invented, []);
    for (const [what, value] of Object.entries(least))
      assert.ok(count[what as keyof typeof count] >= value, `${what}: ${count[what as keyof typeof count]}`);
  });
