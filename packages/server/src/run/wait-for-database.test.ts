import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '@latchkey/db/testing';
import type { Log } from '@latchkey/kernel';
import { freePorts } from '../../test/harness/processes.ts';
import { behindPort } from '../../test/harness/tcp-database.ts';
import { waitForDatabase } from './wait-for-database.ts';

describe('a start before its database', () => {
  let database: TestDatabase;
  before(async () => {
    database = await createTestDatabase({ name: 'late-database' });
  });
  after(() => database.drop());

  /** A log that calls a function with each message. */
  function received(hear: (message: string) => void): Log {
    const write = (message: string) => hear(message);
    const log: Log = { debug: write, info: write, warn: write, error: write, for: () => log };
    return log;
  }

  test('reports that it waits, and continues when the database responds', async () => {
    const late = await behindPort(database.url);
    const lines: string[] = [];
    // The database starts once the wait was logged.
    const log = received((message) => {
      lines.push(message);
      late.open();
    });
    await waitForDatabase(late.url, log, { seconds: 120 });
    assert.deepEqual(lines, ['The database does not respond yet; waiting for it.', 'The database is available.']);
    await late.close();
  });

  test('an error that waiting cannot fix is reported at once', async () => {
    const lines: string[] = [];
    const log = received((message) => void lines.push(message));
    const url = new URL(database.url);
    url.pathname = '/no_such_database';
    await waitForDatabase(url.href, log, { seconds: 3600 });
    assert.deepEqual(lines, []);
  });

  test('ends after the timeout, and when it is told to stop', async () => {
    const port = await freePorts();
    const nobody = `postgres://someone@127.0.0.1:${port}/latchkey`;
    await waitForDatabase(
      nobody,
      received(() => undefined),
      { seconds: 0 },
    );
    const stop = new AbortController();
    await waitForDatabase(
      nobody,
      received(() => stop.abort()),
      { seconds: 3600, signal: stop.signal },
    );
  });
});
