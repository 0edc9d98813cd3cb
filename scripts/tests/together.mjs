// The program of a process that several test files share; they are its arguments. Before the tests of each file stands an
// empty one that names it, by which run-together.mjs tells whose the following tests are.
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const loaded = Promise.withResolvers();
try {
  for (const [place, path] of process.argv.slice(2).entries()) {
    // The first one waits for all files: Node's runner takes a moment without tests for the end, and runs the hooks that
    // close what the files share then, never again.
    test(`file:${path}`, () => (place === 0 ? loaded.promise : undefined));
    await import(pathToFileURL(path).href);
  }
} finally {
  loaded.resolve(undefined);
}
