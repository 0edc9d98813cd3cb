import { createHash } from 'node:crypto';
import { giveEvmWallet } from '@latchkey/console/testing/evm-wallet';
import { fillPath } from '@latchkey/console/testing/fill-path';
import { density, type Picture } from '@latchkey/portal/pictures';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { communityId, type SampleServer, settings } from '../sample-server.ts';
import { askBot, showMessage } from './chat.ts';

interface Opened {
  page: Page;
  close(): Promise<void>;
}

const phone: BrowserContextOptions = {
  isMobile: true,
  hasTouch: true,
  userAgent: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
};

/** Opens the page that a picture is of, as whoever sees it. */
export async function openFor(sample: SampleServer, on: Picture['on']): Promise<Opened> {
  if ('screen' in on) return openScreen(sample, on.screen);
  if ('message' in on) return openMessage(sample, on.message);
  const page = await newPage(sample, on.connect === 'phone' ? phone : {});
  if (on.connect === 'computer') await giveWallet(page, 'newcomer');
  const { links } = await askBot(sample, 'connect');
  await page.goto(links[0] ?? '');
  return closing(page);
}

async function openScreen(sample: SampleServer, path: string): Promise<Opened> {
  const signedIn: BrowserContext = path.startsWith('/operator') ? sample.operator : sample.owner;
  const place = await fillPath({ url: sample.url, request: signedIn.request }, path, communityId);
  if ('missing' in place) throw new Error(`The sample community has nothing for $${place.missing}.`);
  const page = await newPage(sample, { storageState: await signedIn.storageState() });
  if (path === '/me') await giveWallet(page, 'owner');
  await page.goto(`${sample.url}/console${place.path}`);
  return closing(page);
}

async function openMessage(sample: SampleServer, command: Parameters<typeof askBot>[1]): Promise<Opened> {
  const page = await newPage(sample, {});
  await page.setContent(showMessage(await askBot(sample, command)));
  return closing(page);
}

/** A plain square with a letter: the marks of wallets belong to their makers. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><rect width="28" height="28" rx="6" fill="#c9d6cf"/><text x="14" y="19.5" font-family="sans-serif" font-size="15" font-weight="700" text-anchor="middle" fill="#175c4c">M</text></svg>',
)}`;

/** A wallet of the browser that signs. Its key follows from whose it is, so that every picture shows the same address. */
async function giveWallet(page: Page, whose: string): Promise<void> {
  const key = createHash('sha256').update(`wallet of the ${whose} in pictures`).digest('hex');
  await giveEvmWallet(page, 'MetaMask', { icon, privateKey: `0x${key}` });
}

async function newPage({ browser }: SampleServer, more: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ ...settings, deviceScaleFactor: density, ...more });
  return context.newPage();
}

function closing(page: Page): Opened {
  return { page, close: () => page.context().close() };
}
