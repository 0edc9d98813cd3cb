import type { TestServer } from '@latchkey/server/testing/test-server';
import type { TwitterTwin } from '@latchkey/twins/twitter';
import type { Browser } from 'playwright-core';

/** A server with its pages, and a browser to open them in. */
export interface Running {
  server: TestServer;
  /** The stand-in of X, with one person. */
  x: TwitterTwin;
  browser: Browser;
}
