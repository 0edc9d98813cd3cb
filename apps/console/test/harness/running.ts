import type { TwitterEmulator } from '@latchkey/emulators/twitter';
import type { TestServer } from '@latchkey/server/testing/test-server';
import type { Browser } from 'playwright-core';

/** A server with its pages, and a browser to open them in. */
export interface Running {
  server: TestServer;
  /** The emulator of X, with one person. */
  x: TwitterEmulator;
  browser: Browser;
}
