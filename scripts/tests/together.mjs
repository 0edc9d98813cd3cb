// The program of a process that several test files share; they are its arguments. Before the tests of each file stands an
// empty one that names it, by which run-together.mjs tells whose the following tests are.
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

for (const path of process.argv.slice(2)) {
  test(`file:${path}`, () => undefined);
  await import(pathToFileURL(path).href);
}
