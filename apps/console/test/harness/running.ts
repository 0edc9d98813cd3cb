import type { Browser } from 'playwright-core';
import type { TestServer } from '../../../../packages/server/test/harness/test-server.ts';

/** A server with its pages, and a browser to open them in. */
export interface Running {
  server: TestServer;
  browser: Browser;
}
