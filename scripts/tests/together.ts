// The program of a process that several test files share; they are its arguments.
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

// Without a test that is still running, Node's runner takes the time between two files for the end of the run, and calls
// the hooks that close what the files share.
const loaded = Promise.withResolvers<void>();
test('loading', () => loaded.promise);
try {
  for (const path of process.argv.slice(2)) await import(pathToFileURL(path).href);
} finally {
  loaded.resolve();
}
