import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { giveEvmWallet } from '@latchkey/console/testing/evm-wallet';
import { fillPath } from '@latchkey/console/testing/fill-path';
import { density, type Picture, type Step, type Theme, themes } from '@latchkey/portal/pictures';
import { until } from '@latchkey/test-kit';
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { communityId, guildId, newcomerId, type SampleServer, settings } from '../sample-server.ts';
import {
  giveGuestPass,
  holdChangeSet,
  importRules,
  joinNewcomer,
  listMiniApp,
  renameRule,
  startShadow,
  waitForRoles,
} from '../settle.ts';
import { settled, standsWhole } from '../settled.ts';

/** Prepares the sample community with everything that a screen can show before a rule change needs approval. */
export async function setUpSample(sample: SampleServer): Promise<void> {
  await waitForRoles(sample);
  await listMiniApp(sample);
  await giveGuestPass(sample);
  await joinNewcomer(sample);
  await importRules(sample);
}

/** Takes each picture at its moment: before removals need approval, while they do, or in shadow mode. Returns what went wrong. */
export async function takeInOrder(
  sample: SampleServer,
  wanted: readonly Picture[],
  folder?: string,
): Promise<string[]> {
  const problems: string[] = [];
  const take = async (some: readonly Picture[]) => {
    problems.push(...(await takePictures(sample, some, folder)));
  };
  await setUpSample(sample);
  await take(wanted.filter(({ isCalm }) => isCalm));
  await holdChangeSet(sample);
  await take(wanted.filter(({ isCalm, isShadow }) => !isCalm && !isShadow));
  const inShadow = wanted.filter(({ isShadow }) => isShadow);
  if (inShadow.length > 0) await startShadow(sample);
  await take(inShadow);
  return problems;
}

const usualWidth = 1120;
/** In pixels: help pages are not wider, so more would not be visible. */
const widest = 1_520;
/** The margin around the visible parts. */
const margin = 12;
/** Enough for text at double density, which is displayed at half the size. */
const quality = 55;

interface Taken {
  bytes: Buffer;
  theme: Theme;
}

/** Takes pictures of the help pages in both themes, into a folder if given. Returns what went wrong, by the names of the pictures. */
async function takePictures(sample: SampleServer, pictures: readonly Picture[], folder?: string): Promise<string[]> {
  if (folder !== undefined) await mkdir(folder, { recursive: true });
  const problems: string[] = [];
  for (const picture of pictures)
    try {
      for (const { bytes, theme } of await take(sample, picture))
        if (folder !== undefined) await writeFile(join(folder, `${picture.name}.${theme}.webp`), bytes);
    } catch (error) {
      problems.push(`${picture.name}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    }
  return problems;
}

async function take(sample: SampleServer, picture: Picture): Promise<Taken[]> {
  const { page, close } = await openFor(sample, picture.on);
  try {
    const width = picture.width ?? usualWidth;
    await page.setViewportSize({ width, height: 900 });
    await settled(page);
    await doSteps(sample, page, picture.steps ?? []);
    await settled(page);
    await fixTimes(page);
    await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
    const taken: Taken[] = [];
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme });
      await standsWhole(page, width);
      taken.push({ theme, bytes: await capture(page, picture) });
    }
    return taken;
  } finally {
    await close();
  }
}

/** Chromium can write WebP; Playwright supports only PNG and JPEG. */
async function capture(page: Page, { part, height: most = Number.POSITIVE_INFINITY }: Picture): Promise<Buffer> {
  const boxes = await Promise.all(part.map((selector) => boxOf(page.locator(selector).first(), selector)));
  const left = Math.max(0, Math.min(...boxes.map(({ x }) => x)) - margin);
  const top = Math.max(0, Math.min(...boxes.map(({ y }) => y)) - margin);
  const right = Math.max(...boxes.map(({ x, width }) => x + width)) + margin;
  const bottom = Math.max(...boxes.map(({ y, height }) => y + height)) + margin;
  const width = right - left;
  const scale = Math.min(density, widest / width);
  const clip = { x: left, y: top, width, height: Math.min(bottom - top, most), scale };
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality, clip });
  await session.detach();
  return Buffer.from(data, 'base64');
}

async function boxOf(locator: Locator, selector: string) {
  await locator.waitFor();
  const box = await locator.boundingBox();
  if (box === null) throw new Error(`${selector} is not to be seen.`);
  return box;
}

/** Times with minutes would differ with every run. "Just now" is the same on every run. */
async function fixTimes(page: Page): Promise<void> {
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      text.nodeValue = (text.nodeValue ?? '')
        .replace(/[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2} [AP]M/g, 'Nov 2, 2026, 9:41 AM')
        .replace(/\d{1,2}\/\d{1,2}\/\d{4}/g, '11/2/2026');
  });
}

const patienceMs = 60_000;
const pressable = ['button', 'tab', 'link', 'menuitem', 'option'] as const;

/** Performs a user's steps, by the text on the page. */
async function doSteps(sample: SampleServer, page: Page, steps: readonly Step[]): Promise<void> {
  page.setDefaultTimeout(patienceMs);
  for (const step of steps)
    if ('meanwhile' in step) await meanwhile[step.meanwhile](page, sample);
    else if ('press' in step) await (await find(page, step.press)).click();
    else if ('type' in step) await field(page, step.into).fill(step.type);
    else if ('choose' in step) await choose(page, field(page, step.under), step.choose);
    else if ('close' in step) {
      await page.keyboard.press('Escape');
      await page.getByRole(step.close).waitFor({ state: 'hidden' });
    } else await page.getByText(step.see).first().waitFor();
}

const meanwhile: Record<
  Extract<Step, { meanwhile: string }>['meanwhile'],
  (page: Page, sample: SampleServer) => Promise<void>
> = {
  'the connection is lost': (page) => page.context().setOffline(true),
  /** Every answer names another build than the tab's. */
  'the server is updated': async (page) => {
    await page.route('**/latchkey/**', async (route) => {
      if (route.request().url().includes('/live')) return route.continue();
      const response = await route.fetch();
      return route.fulfill({ response, headers: { ...response.headers(), 'x-latchkey-build': 'newer' } });
    });
  },
  'another admin saves the rule': (page, sample) =>
    renameRule(sample, decodeURIComponent(page.url().split('/').at(-1) ?? '')),
};

async function choose(page: Page, list: Locator, option: string): Promise<void> {
  if (await list.evaluate((element) => element.tagName === 'SELECT')) {
    await list.selectOption({ label: option });
    return;
  }
  await list.click();
  await page.getByRole('option', { name: option, exact: true }).first().click();
}

/** Finds the control with exactly this name, or one with a longer name. */
async function find(page: Page, name: string): Promise<Locator> {
  const labels = page.locator('summary, label, button');
  const whole = labels.filter({ hasText: new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}$`) });
  const exact = pressable.reduce((all, role) => all.or(page.getByRole(role, { name, exact: true })), whole);
  const longer = labels.filter({ hasText: name });
  await exact.or(longer).first().waitFor();
  return (await exact.count()) > 0 ? exact.first() : longer.first();
}

function field(page: Page, label: string): Locator {
  const fields = 'input:not([type=radio]), textarea, select';
  const inside = page.locator('label', { hasText: label }).locator(fields);
  return page.getByLabel(label, { exact: true }).and(page.locator(fields)).or(inside).first();
}

interface Opened {
  page: Page;
  close(): Promise<void>;
}

const phone: BrowserContextOptions = {
  isMobile: true,
  hasTouch: true,
  userAgent: 'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36',
};

/** Opens the page of a picture, as the user who sees it. */
async function openFor(sample: SampleServer, on: Picture['on']): Promise<Opened> {
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

/** A plain square with a letter: the logos of wallets belong to their makers. */
const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 28 28"><rect width="28" height="28" rx="6" fill="#c9d6cf"/><text x="14" y="19.5" font-family="sans-serif" font-size="15" font-weight="700" text-anchor="middle" fill="#175c4c">M</text></svg>',
)}`;

/** A browser wallet that signs. Its key is derived from its owner, so that every picture shows the same address. */
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

interface ChatMessage {
  /** Whether only some users see it. */
  isPrivate: boolean;
  /** The command or button that led to it. */
  command?: string;
  text: string;
  buttons: string[];
  links: string[];
}

interface SeenMessage {
  id: string;
  content: string;
  flags: number;
  components: { components: { label: string; url?: string }[] }[];
}

const ownerId = '200000000000000000';
const onlyForThem = 64;
const stillThinking = 128;

const request = {
  join: { userId: ownerId, command: 'latchkey setup' },
  connect: { userId: newcomerId, command: 'latchkey join' },
  roles: { userId: '200000000000000001', command: 'latchkey roles' },
} as const;

/** Runs a command in the Discord emulator and waits for the bot's real response, or reads what it posted by itself. */
async function askBot(sample: SampleServer, what: keyof typeof request | 'held'): Promise<ChatMessage> {
  if (what === 'held') return until('the bot has told of the change', () => findHeld(sample));
  const { userId, command } = request[what];
  const guild: { channels: { id: string; name: string }[] } = await ask(sample, `/emulator/guilds/${guildId}`);
  const channelId = guild.channels.find(({ name }) => name.endsWith('join'))?.id;
  const { message } = await ask<{ message: SeenMessage }>(sample, '/emulator/press', { userId, channelId, command });
  return until('the bot has answered', async () => {
    const now = (await sent(sample)).find(({ id }) => id === message.id);
    return now === undefined || (now.flags & stillThinking) !== 0 ? undefined : toMessage(now, `/${command}`);
  });
}

async function findHeld(sample: SampleServer): Promise<ChatMessage | undefined> {
  const held = (await sent(sample)).find(({ content }) => content.includes('needs your approval'));
  return held && toMessage(held);
}

const sent = (sample: SampleServer) => ask<SeenMessage[]>(sample, '/emulator/messages');

async function ask<Answer>({ discordUrl }: SampleServer, path: string, body?: unknown): Promise<Answer> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(`${discordUrl}${path}`, body === undefined ? {} : post);
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

function toMessage({ content, flags, components }: SeenMessage, command?: string): ChatMessage {
  const buttons = components.flatMap((row) => row.components);
  return {
    isPrivate: (flags & onlyForThem) !== 0,
    ...(command !== undefined && { command }),
    text: content,
    buttons: buttons.map(({ label }) => label),
    links: buttons.flatMap(({ url }) => url ?? []),
  };
}

/** Returns the message as a chat shows it. Ids, times and the server's URL are the same on every run. */
function showMessage(message: ChatMessage): string {
  const [, id = ''] = /\/plans\/([\w-]+)/.exec(message.text) ?? [];
  const same = (text: string) =>
    text
      .replaceAll(id === '' ? '\0' : id, 'pK3vR8sTn2Wq5YzB7cDfG')
      .replaceAll(id === '' ? '\0' : id.slice(0, 6), 'pK3vR8')
      .replaceAll(/http:\/\/localhost:\d+/g, 'https://latchkey.example.org')
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, '2026-11-02 09:41 UTC');
  return messagePage({ ...message, text: same(message.text), buttons: message.buttons.map(same) });
}

const { resolve } = createRequire(import.meta.resolve('@latchkey/console/package.json'));
const font = readFileSync(resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'), 'base64');

const style = `
  @font-face { font-family: Inter; font-weight: 100 900; src: url(data:font/woff2;base64,${font}); }
  :root { color-scheme: light dark; --page: #fff; --text: #1f2328; --faint: #59636e; --line: #d7dce1; --soft: #eef1f4; --link: #0b57a4; }
  @media (prefers-color-scheme: dark) {
    :root { --page: #1d2026; --text: #e8eaed; --faint: #a8b0ba; --line: #3a4049; --soft: #2b3038; --link: #8ec2ff; }
  }
  body { margin: 0; background: var(--page); color: var(--text); font: 15px/1.45 Inter, sans-serif; }
  h1 { position: absolute; clip-path: inset(50%); }
  main { width: 600px; padding: 4px; }
  article { display: grid; grid-template-columns: 40px minmax(0, 1fr); gap: 14px; }
  .typed { margin: 0 0 10px; color: var(--faint); font-size: 13px; }
  .typed code { padding: 2px 6px; border-radius: 5px; background: var(--soft); font: inherit; }
  .face { width: 40px; height: 40px; border-radius: 10px; background: #175c4c; color: #fff; font: 700 19px/40px Inter; text-align: center; }
  .who { font-weight: 650; }
  .who small { margin-inline-start: 6px; padding: 1px 6px; border-radius: 5px; background: var(--soft); color: var(--faint); font-size: 11px; font-weight: 600; }
  .text { margin: 0; white-space: pre-line; overflow-wrap: anywhere; }
  .text span { color: var(--link); }
  .buttons { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px; }
  .buttons b { padding: 7px 15px; border: 1px solid var(--line); border-radius: 8px; background: var(--soft); font-size: 14px; font-weight: 600; }
  .note { margin-top: 6px; color: var(--faint); font-size: 12.5px; }
`;

/** Renders a bot message in a plain chat of our own. */
function messagePage({ command, text, buttons, isPrivate }: ChatMessage): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><style>${style}</style><h1>Chat</h1>
<main>
${command === undefined ? '' : `<p class="typed">You typed <code>${asText(command)}</code></p>`}
<article><div class="face">L</div><div>
<div class="who">Latchkey<small>Bot</small></div>
<p class="text">${asText(text).replace(/https:\/\/\S+/g, '<span>$&</span>')}</p>
${buttons.length === 0 ? '' : `<div class="buttons">${buttons.map((label) => `<b>${asText(label)}</b>`).join('')}</div>`}
${isPrivate ? '<div class="note">Only you can see this message.</div>' : ''}
</div></article>
</main></html>`;
}

function asText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
