import assert from 'node:assert/strict';
import { test } from 'node:test';
import { portalFolder } from '../config/folders.ts';
import { guideFolders } from '../config/page-folders.ts';
import { readAllSamples, type Sample } from './read-samples.ts';

/** A blog post shows code in one language; guides show each program in both. */
const folders = guideFolders.filter((folder) => folder !== 'blog');
const samples = readAllSamples(portalFolder).filter(({ file }) => folders.some((name) => file.startsWith(`${name}/`)));
const isTypescript = ({ language }: Sample) => language === 'ts' || language === 'tsx';

/** Programs without a Python version, and why. */
const alone: readonly { why: string; holds(sample: Sample): boolean }[] = [
  { why: 'the page is about packages for TypeScript', holds: ({ file }) => file.includes('/sdk/') },
  { why: 'it runs in a browser', holds: ({ language }) => language === 'tsx' },
  { why: 'another tab has the same without the package', holds: ({ tabs }) => tabs.at(-1) === 'TypeScript client' },
];

test('every program of a guide is in a tab of its language', () => {
  const astray = samples.filter((sample) => {
    if (alone.some(({ holds }) => holds(sample))) return false;
    if (isTypescript(sample)) return sample.tabs.at(-1) !== 'TypeScript';
    return sample.language === 'py' && sample.tabs.at(-1) !== 'Python';
  });
  assert.deepEqual(
    astray.map(({ file, line }) => `${file}:${line}`),
    [],
  );
});

test('every program of a guide exists in TypeScript and in Python', () => {
  const pages = Map.groupBy(samples, ({ file }) => file);
  const lacking = [...pages].flatMap(([file, parts]) => {
    const typescript = parts.filter((sample) => isTypescript(sample) && sample.tabs.at(-1) === 'TypeScript');
    const python = parts.filter(({ language }) => language === 'py');
    return typescript.length === python.length ? [] : [`${file}: ${typescript.length} and ${python.length}`];
  });
  assert.deepEqual(lacking, []);
});

test('each exception for a program in one language is used by a page', () => {
  for (const { why, holds } of alone)
    assert.ok(
      samples.some((sample) => isTypescript(sample) && holds(sample)),
      why,
    );
});
