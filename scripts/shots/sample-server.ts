import { openBrowser } from '@latchkey/console/testing';
import { freePorts, makeDataFolder, startLatchkey } from '@latchkey/server/testing/processes';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';

export const guildId = '100000000000000001';
export const communityId = `DIS#COMM#${guildId}`;
/** A user with a wallet who joins the community last. */
export const newcomerId = '200000000000000051';

/** The sample community of `npm start`, started for pictures, and a browser in which its users are signed in. */
export interface SampleServer extends AsyncDisposable {
  url: string;
  /** Where the Discord emulator shows its state, and lets users press buttons. */
  discordUrl: string;
  /** Where sent mails can be read. */
  mailsUrl: string;
  browser: Browser;
  owner: BrowserContext;
  operator: BrowserContext;
}

/** Dates, words and numbers look the same wherever the pictures are taken. */
export const settings: BrowserContextOptions = { locale: 'en-US', timezoneId: 'UTC', reducedMotion: 'reduce' };

export async function startSampleServer(): Promise<SampleServer> {
  await using started = new AsyncDisposableStack();
  const data = started.use(await makeDataFolder());
  const [mailPort, sandboxPort] = [await freePorts(), await freePorts()];
  const latchkey = started.use(
    startLatchkey(['start'], {
      LATCHKEY_DATA_DIR: data.path,
      LATCHKEY_PORT: '0',
      LATCHKEY_PORTAL: 'false',
      LATCHKEY_MAIL_CATCHER_PORT: String(mailPort),
      LATCHKEY_SANDBOX: 'true',
      LATCHKEY_SANDBOX_PORT: String(sandboxPort),
    }),
  );
  const [, asOwner = ''] = await latchkey.printed(/as the owner of the sample community +(\S+)/);
  const [, asOperator = ''] = await latchkey.printed(/as the operator +(\S+)/);
  await latchkey.printed(/Ctrl-C stops everything/);
  const browser = await openBrowser();
  started.defer(() => browser.close());
  const owner = await signIn(browser, asOwner);
  const operator = await signIn(browser, asOperator);
  const rest = started.move();
  return {
    url: new URL(asOwner).origin,
    discordUrl: `http://127.0.0.1:${sandboxPort}`,
    mailsUrl: `http://127.0.0.1:${mailPort + 1}`,
    browser,
    owner,
    operator,
    [Symbol.asyncDispose]: () => rest.disposeAsync(),
  };
}

async function signIn(browser: Browser, link: string): Promise<BrowserContext> {
  const context = await browser.newContext(settings);
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console(?!\/enter)/);
  await page.close();
  return context;
}
