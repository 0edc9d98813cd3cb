// The program of a process that several test files share. The files are its arguments.
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

// Without a running test, Node's runner treats the time between two files as the end of the run, and calls the hooks that close what the
// files share.
const loaded = Promise.withResolvers<void>();
test('loading', () => loaded.promise);
try {
  for (const path of process.argv.slice(2)) await import(pathToFileURL(path).href);
} finally {
  loaded.resolve();
}
