import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { screens } from '@latchkey/console/screens';
import { fillPath } from '@latchkey/console/testing/fill-path';
import { startPageServer } from '@latchkey/console/testing/page-server';
import { samplePages } from '@latchkey/console/testing/sample-pages';
import { pictures, picturesFolder } from '@latchkey/portal/pictures';
import type { BrowserContext, Page } from 'playwright-core';
import { setUpSample, takeInOrder } from './pictures/take-in-order.ts';
import { communityId, type SampleServer, settings, startSampleServer } from './sample-server.ts';
import { holdChangeSet, startShadow } from './settle.ts';
import { settled, standsWhole } from './settled.ts';
import { shootStates } from './states.ts';

const widths = [390, 1440];
const schemes = ['light', 'dark'] as const;

interface Shots {
  taken: string[];
  /** What is wrong with a screen, by its path. */
  problems: string[];
}

/**
 * Takes every screen of the lists, or those with matching paths, into a folder, at every width, in light and dark, with a page to browse
 * them.
 */
async function shootScreens(sample: SampleServer, folder: string, only = /^/): Promise<Shots> {
  await mkdir(folder, { recursive: true });
  const shots: Shots = { taken: [], problems: [] };
  for (const { path } of screens.filter((screen) => only.test(screen.path))) {
    const context = path.startsWith('/operator') ? sample.operator : sample.owner;
    const place = await fillPath({ url: sample.url, request: context.request }, path, communityId);
    if ('missing' in place) shots.problems.push(`${path}: the sample community has nothing for $${place.missing}.`);
    else await shoot(context, `${sample.url}/console${place.path}`, join(folder, nameOf(path)), shots);
  }
  const taken = (await readdir(folder)).filter((file) => file.endsWith('.png')).toSorted();
  await writeFile(join(folder, 'index.html'), pageOf(taken));
  return shots;
}

/** Takes the sign-in and sign-out pages, which are in no list of screens: with sample data, and in states that are hard to reach. */
async function shootLoginMethods({ browser, url }: SampleServer, folder: string): Promise<Shots> {
  await mkdir(folder, { recursive: true });
  const shots: Shots = { taken: [], problems: [] };
  await using pages = await startPageServer();
  const context = await browser.newContext(settings);
  await shoot(context, `${url}/console`, join(folder, 'sign-in'), shots);
  for (const [name, data] of Object.entries(samplePages))
    await shoot(context, pages.show(data), join(folder, `way-${name.replaceAll(' ', '-')}`), shots);
  await context.close();
  return shots;
}

/** Takes a page once it has settled, or once `then` has led it to a state, in which it may say that something failed. */
async function shoot(
  context: BrowserContext,
  address: string,
  file: string,
  shots: Shots,
  then?: (page: Page) => Promise<void>,
): Promise<void> {
  const page = await context.newPage();
  const { pathname } = new URL(address);
  page.on('pageerror', (error) => shots.problems.push(`${pathname}: ${error.message}`));
  try {
    await page.goto(address);
    await settled(page);
    await then?.(page);
    for (const width of widths)
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        await standsWhole(page, width);
        const path = `${file}.${width}.${colorScheme}.png`;
        await page.screenshot({ path, animations: 'disabled' });
        shots.taken.push(path);
      }
    const refusal = page
      .getByRole('alert')
      .filter({ hasText: /That did not work|This needs a correction|No connection|You don’t have access/ })
      .first();
    if (then === undefined && (await refusal.count()) > 0)
      shots.problems.push(`${pathname} says: ${await refusal.innerText()}`);
  } catch (error) {
    shots.problems.push(`${pathname}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
  } finally {
    await page.close();
  }
}

function nameOf(path: string): string {
  return path.replaceAll('$', '').replace(/^\//, '').replaceAll('/', '-') || 'home';
}

function pageOf(files: readonly string[]): string {
  const pictures = files
    .map((file) => file.slice(file.lastIndexOf('/') + 1))
    .map((file) => `<figure><figcaption>${file}</figcaption><img src="${file}" alt=""></figure>`);
  return `<!doctype html><meta charset="utf-8"><title>The console</title>\n${pictures.join('\n')}\n`;
}

const words = process.argv.slice(2);
const areForPages = words.includes('--pages');
const [named = areForPages ? picturesFolder : 'shots'] = words.filter((word) => !word.startsWith('--'));
const folder = resolve(named);
const [, names] = words.map((word) => /^--only=(.+)$/.exec(word)).find((found) => found !== null) ?? [];
const [, paths] = words.map((word) => /^--screens=(.+)$/.exec(word)).find((found) => found !== null) ?? [];
const wanted = names === undefined ? pictures : pictures.filter(({ name }) => names.split(',').includes(name));

await using sample = await startSampleServer();
const problems = areForPages ? await takeInOrder(sample, wanted, folder) : await shootAll();
process.stdout.write(`The pictures are in ${folder}.\n`);
for (const problem of problems) process.stderr.write(`${problem}\n`);
if (problems.length > 0) process.exitCode = 1;

async function shootAll(): Promise<string[]> {
  const only = paths === undefined ? undefined : new RegExp(paths);
  const loginMethods = only === undefined ? await shootLoginMethods(sample, folder) : undefined;
  await setUpSample(sample);
  await holdChangeSet(sample);
  const usual = await shootScreens(sample, folder, only);
  await shootStates(sample, folder, only ?? /^/, (context, address, file, then) =>
    shoot(context, address, file, usual, then),
  );
  if (only?.test('shadow-mode') !== false) await startShadow(sample);
  const inShadow = await shootScreens(sample, folder, only?.test('shadow-mode') === false ? /^$/ : /shadow-mode$/);
  return [...(loginMethods?.problems ?? []), ...usual.problems, ...inShadow.problems];
}
