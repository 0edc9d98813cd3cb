import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { density, type Picture, type Theme, themes } from '@latchkey/portal/pictures';
import type { Locator, Page } from 'playwright-core';
import type { SampleServer } from '../sample-server.ts';
import { settled, standsWhole } from '../settled.ts';
import { doSteps } from './do-steps.ts';
import { openFor } from './open.ts';

const usualWidth = 1120;
/** In pixels: help pages are not wider, so more of them would not be seen. */
const widest = 1_520;
/** What is left around the parts that are to be seen. */
const margin = 12;
/** Enough for letters at twice the density, which the eye sees at half the size. */
const quality = 55;

interface Taken {
  bytes: Buffer;
  theme: Theme;
}

/** Takes pictures of the help pages in both themes, into a folder if there is one. Answers what went wrong, by the names of the pictures. */
export async function takePictures(
  sample: SampleServer,
  pictures: readonly Picture[],
  folder?: string,
): Promise<string[]> {
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
    await doSteps(page, picture.steps ?? []);
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

/** Chromium writes WebP itself; Playwright asks it for PNG and JPEG only. */
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

/** Times that are told to the minute would differ with every run. What says "just now" says so on every run. */
async function fixTimes(page: Page): Promise<void> {
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode())
      text.nodeValue = (text.nodeValue ?? '')
        .replace(/[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2} [AP]M/g, 'Nov 2, 2026, 9:41 AM')
        .replace(/\d{1,2}\/\d{1,2}\/\d{4}/g, '11/2/2026');
  });
}
