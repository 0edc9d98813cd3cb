import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { screens } from '@latchkey/console/screens';
import { openBrowser } from '@latchkey/console/testing';
import { fillPath, makeDeveloper } from '@latchkey/console/testing/fill-path';
import { freePorts, makeDataFolder, startLatchkey } from '@latchkey/server/testing/processes';
import type { BrowserContext, Page } from 'playwright-core';

const communityId = 'DIS#COMM#100000000000000001';
const widths = [390, 1280];
const schemes = ['light', 'dark'] as const;
/** How long a screen may take until nothing on it loads any more. */
const patienceMs = 60_000;

const folder = resolve(process.argv[2] ?? 'shots');
await mkdir(folder, { recursive: true });
await using data = await makeDataFolder();
const mailPort = await freePorts();
const tryOutPort = await freePorts();
await using latchkey = startLatchkey(['start'], {
  LATCHKEY_DATA_DIR: data.path,
  LATCHKEY_PORT: '0',
  LATCHKEY_PORTAL: 'false',
  LATCHKEY_MAIL_CATCHER_PORT: String(mailPort),
  LATCHKEY_TRY_OUT: 'true',
  LATCHKEY_TRY_OUT_PORT: String(tryOutPort),
});
const [, asOwner = ''] = await latchkey.printed(/as the owner of the sample community +(\S+)/);
const [, asOperator = ''] = await latchkey.printed(/as the operator +(\S+)/);
await latchkey.printed(/Ctrl-C stops everything/);
const url = new URL(asOwner).origin;

const browser = await openBrowser();
const problems: string[] = [];
const taken: string[] = [];
try {
  const owner = await browser.newContext();
  const operator = await browser.newContext();
  await signIn(owner, asOwner);
  await signIn(operator, asOperator);
  await makeDeveloper({ url, request: owner.request });
  for (const { path, title } of screens) {
    const context = path.startsWith('/operator') ? operator : owner;
    const place = await fillPath({ url, request: context.request }, path, communityId);
    if ('missing' in place) problems.push(`${path}: the sample community has nothing for $${place.missing}.`);
    else await shoot(context, place.path, nameOf(path), title);
  }
} finally {
  await browser.close();
}
await writeFile(join(folder, 'index.html'), pageOf(taken));
process.stdout.write(`${taken.length} pictures are in ${folder}.\n${problems.map((one) => `${one}\n`).join('')}`);

async function signIn(context: BrowserContext, link: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(link);
  await page.close();
}

/** Takes a screen at every width, in light and dark. */
async function shoot(context: BrowserContext, path: string, name: string, title: string): Promise<void> {
  const page = await context.newPage();
  page.on('pageerror', (error) => problems.push(`${path}: ${error.message}`));
  try {
    await page.goto(`${url}/console${path}`);
    await page.locator('h1').first().waitFor({ timeout: patienceMs });
    await settled(page);
    for (const width of widths)
      for (const colorScheme of schemes) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        const file = `${name}.${width}.${colorScheme}.png`;
        await page.screenshot({ path: join(folder, file), fullPage: true, animations: 'disabled' });
        taken.push(file);
      }
  } catch (error) {
    problems.push(`${path} (${title}): ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
  } finally {
    await page.close();
  }
}

/** A live stream stays open, so that the network is never idle: what counts is that nothing says that it loads. */
async function settled(page: Page): Promise<void> {
  await page
    .getByText(/^Loading .* …$/)
    .first()
    .waitFor({ state: 'hidden', timeout: patienceMs });
}

function nameOf(path: string): string {
  return path.replaceAll('$', '').replace(/^\//, '').replaceAll('/', '-') || 'home';
}

function pageOf(files: readonly string[]): string {
  const pictures = files.map((file) => `<figure><figcaption>${file}</figcaption><img src="${file}" alt=""></figure>`);
  return `<!doctype html><meta charset="utf-8"><title>The console</title>\n${pictures.join('\n')}\n`;
}
