import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { resources } from '@latchkey/core';
import type { Resource } from '@latchkey/kernel';

const root = resolve(import.meta.dirname, '..');

/** Phrases to avoid, each with a replacement. The list for writers is in docs/terms.md. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\bunless told\b/i, 'defaults to …'],
  [/\banswers with (?!one of)/i, 'returns …'],
  [/\bdeserves?\b/i, 'qualifies for'],
  [/\bthere is no such\b/i, '… not found'],
  [/\bwhoever (?!you are)/i, 'anyone who …, or the person by name: the sender, the operator'],
  [/\blooks? after (a|the|it|this)\b/i, 'manages, or: admins of …'],
  [/\bdrawn by chance\b/i, 'random'],
  [/\bhold (the )?rules? .{0,20}against\b/i, 'check roles'],
  [/\b(is|are|was|were|be) looked at\b/i, 'checked, read'],
  [/\b(by|for) your word\b/i, 'because you approved it'],
  [/\bmend(s|ed|ing)? (it|what|the)\b/i, 'fix'],
  [/\bsigns? in no more\b/i, 'can no longer be used to sign in'],
  [/\bsay who you are\b/i, 'sign in to continue'],
  [/\b(?:held|holds?) against\b/i, 'checked, check'],
  [/\bputs? back what\b/i, 'undo'],
  [/\btakes? back what an? app/i, "revoke an app's access"],
  [/\bhangs? on (?:them|it)\b/i, 'depend on'],
  [/\ban app outside\b|\bapp outside\*\*/i, 'external app'],
  [/\bdraws? a QR code\b/i, 'generate'],
  [/\b(?:it|link|token) works for an? (?:minute|hour|day|week)\b/i, 'expires after …'],
  [/\bcome back from buying\b/i, 'handle the return from a checkout'],
  [/\bsee whether the server is there\b/i, 'check server status'],
  [/\bmake a market\b/i, 'create a marketplace'],
  [/\btells in `/i, 'shows'],
  [/\bhow it stands\b/i, 'its status'],
  [/\bgo on (?:editing|reading|at)\b/i, 'keep editing, continue'],
  [/\b(?:gets|loses) it: /i, 'Gains …, Loses …'],
  [/\bbecause these are many\b/i, 'removals this large need approval'],
  [/\bchanges of this rule\b/i, 'changes to this rule'],
  [/\bnumber \S+ from the bottom\b/i, 'the role order, shown as a list'],
  [/\bswitches nothing on\b/i, 'nothing is turned on yet'],
  [/\bapproved by itself\b/i, 'approved automatically'],
  [/\bas its chain spells\b/i, 'contract address'],
  [/\b(?:has|have|is|are) (?:no|not)\b[^.,;]{1,40} any more\b/i, 'no longer'],
  [/\bof nothing is none\b/i, 'must be greater than zero'],
  [/\bno time that exists\b/i, 'is not a valid date'],
  [/\bare of two (?:users|people|members|accounts)\b/i, 'belong to different users'],
  [/\bhere (?:are|is) (?:GET|POST|PUT|PATCH|DELETE)\b/i, 'available routes: …'],
  [/^say [a-z]+(?:,| or)/i, 'usage: …'],
  [/\bmakes? \S+ known\b/i, 'can register …'],
  [/\bare decided on\b/i, 'are resolved by'],
  [/\bwhat the request calls it\b/i, 'does not match the declared purpose'],
  [/\bhalf a character\b/i, 'unpaired surrogate'],
  [/\bwants? to be asked less\b/i, 'rate-limited by …'],
  [/\bcarried something\b/i, 'malformed message'],
  [/\b(?:was|were) not taken in\b/i, 'failed to process …'],
  [/\bnot as they should\b/i, 'out of sync'],
  [/\bin other hands\b/i, 'compromised, stolen'],
  [/\bdecides? over\b/i, 'may approve'],
  [/\bnot sold like that\b/i, 'is not available with …'],
  [/\btoo much (?:waits|is waiting)\b/i, 'too many pending …'],
  [/\bnothing to say\b/i, 'no content'],
  [/\b(?:was|were) not given out\b/i, 'was not issued'],
  [/\bto and fro\b/i, 'back and forth, jittering'],
  [/\bserves? nobody\b/i, 'is useless'],
  [/\blets? \S+ \S+ breathe\b|\blets? \S+ breathe\b/i, 'yields to'],
  [/\bon a shorter way\b/i, 'fast path, shortcut'],
  [/\bcalled alike\b/i, 'with the same name'],
  [/\bas good as (?:missing|gone|none)\b/i, 'treated as not found'],
  [/\bretried by itself\b/i, 'retried automatically'],
  [/\b(?:it|they|he|she|which|that) \w+s no more\b(?! \w)/i, 'no longer …'],
  [/\bbelow no \w+ that\b/i, 'above every … that'],
  [/\bof which you know\b/i, 'that you know …'],
  [/\bthe way round\b/i, 'workaround'],
  [/\bis an? \w+ and no \w+\b/i, 'is a …, not a …'],
  [/\basks? for your words\b/i, 'asks for your recovery phrase'],
  [/\bknow a fraud\b/i, 'recognize a scam'],
  [/\bwhich way in\b/i, 'where do you want to start?'],
  [/\bsize is not worth\b/i, 'a larger balance is not worth more'],
  [/\bdoes not \w+ is no (?:error|mistake|fault)\b/i, 'is not an error'],
];

/** Words that do not name a person. Pages quote labels of the console in bold and names in code, which follow the console and the code. */
const vague: readonly (readonly [RegExp, string])[] = [
  [/\bwhoever\b/i, 'the person by name: the member, the admin, the operator, the caller'],
  [/\bwhom\b/i, 'that, who, or the person by name'],
  [/\b(?:somebody|anybody)\b/i, 'a member, another user, someone, anyone'],
  [/\beverybody\b/i, 'every member, everyone'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
];

/** Words that writers here reach for and native speakers do not. */
const unusual: readonly (readonly [RegExp, string])[] = [
  [/\bthe way\b/i, 'how, the method, the link, the step: what it is'],
  [/\btells\b/i, 'shows, says, notifies, reports, explains'],
];

function withoutQuotes(line: string): string {
  return line.replace(/\*\*[^*]*\*\*|`[^`]*`|<Screenshot[^>]*>/g, '');
}

/** Where user-visible texts are: pages, documents, and the sentences that the server, the bots and the console show. */
const pages = [
  'apps/portal/docs',
  'apps/portal/help-docs',
  'apps/portal/operators',
  'apps/portal/blog',
  'apps/portal/dao',
  'apps/portal/telefrens',
  'apps/portal/versioned_docs',
  'apps/portal/src/pages',
  'docs',
];
const sources = [
  'packages/kernel/src',
  'packages/core/src',
  'packages/platforms/src',
  'packages/server/src',
  'packages/chains/src',
  'packages/cli/src',
  'packages/db/src',
  'packages/integrations/src',
  'apps/console/src',
];
/** They quote the phrases, or record how a decision was made at its time. */
const exempt = ['docs/terms.md'];

/** They list words that readers type. */
const wordLists = ['terms.ts', 'rank-sections.ts', 'same-meaning.ts'].map(
  (file) => `packages/server/src/docs-search/${file}`,
);

function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter(
      (path) => ending.test(path) && !path.includes('node_modules') && !exempt.some((start) => path.startsWith(start)),
    );
}

/** Returns the quoted texts of a line of code; comments are for developers. */
function quoted(line: string): string {
  if (/^\s*(\/\/|\/?\*)/.test(line)) return '';
  return [...line.matchAll(/'((?:[^'\\]|\\.)*)'|`([^`]*)`|"([^"]*)"|>([^<>{}]+)</g)]
    .map(([, single, template, double, between]) => single ?? template ?? double ?? between ?? '')
    .join(' ');
}

function findingsIn(path: string, textOf: (line: string) => string, refused = phrases): string[] {
  return readFileSync(join(root, path), 'utf8')
    .split('\n')
    .flatMap((line, index) => {
      const text = textOf(line);
      if (text === '') return [];
      return refused
        .filter(([phrase]) => phrase.test(text))
        .map(([phrase, better]) => `${path}:${index + 1} ${phrase.exec(text)?.[0]}: write "${better}"`);
    });
}

test('pages and documents are written in the words of their readers', () => {
  const files = [...pages.flatMap((folder) => filesIn(folder, /\.mdx?$/)), 'README.md'];
  assert.ok(files.length > 100, `${files.length} files were read`);
  assert.deepEqual(
    files.flatMap((path) => findingsIn(path, (line) => line)),
    [],
  );
});

test('pages and documents name the person they are about', () => {
  const files = [
    ...pages.flatMap((folder) => filesIn(folder, /\.mdx?$/)),
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    '.github/pull_request_template.md',
  ];
  assert.deepEqual(
    files.flatMap((path) => findingsIn(path, withoutQuotes, [...vague, ...unusual])),
    [],
  );
});

test('what the portal says names the person it is about', () => {
  const files = ['apps/portal/src', 'apps/portal/facts', 'apps/portal/config']
    .flatMap((folder) => filesIn(folder, /\.tsx?$/))
    .filter((path) => !/\.test\.tsx?$/.test(path));
  assert.ok(files.length > 100, `${files.length} files were read`);
  assert.deepEqual(
    files.flatMap((path) => findingsIn(path, quoted, [...vague, ...unusual])),
    [],
  );
});

test('descriptions of operations name the person they are about', () => {
  const refused = [...vague, ...unusual];
  const texts = (resources as readonly Resource[])
    .flatMap(({ operations }) => operations)
    .flatMap(({ contract }) => [contract.summary, contract.description ?? '']);
  assert.deepEqual(
    texts.filter((text) => refused.some(([word]) => word.test(text))),
    [],
  );
});

test('what the server, the bots and the console say is written in the words of its readers', () => {
  const files = sources
    .flatMap((folder) => filesIn(folder, /\.tsx?$/))
    .filter((path) => !/\.(test|suite)\.tsx?$|\/testing\b/.test(path) && !wordLists.includes(path));
  assert.ok(files.length > 500, `${files.length} files were read`);
  assert.deepEqual(
    files.flatMap((path) => findingsIn(path, quoted, [...phrases, ...vague, ...unusual])),
    [],
  );
});

test('summaries of operations have at most seven words', () => {
  const long = (resources as readonly Resource[])
    .flatMap(({ operations }) => operations)
    .map(({ contract }) => contract.summary)
    .filter((summary) => summary.split(/\s+/).length > 7);
  assert.deepEqual(long, []);
});
