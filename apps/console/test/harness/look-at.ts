import type { Page } from 'playwright-core';
import { findViolations as runAxe } from './axe.ts';

/** What axe finds wrong with a page that has come to rest. */
export async function findViolations(page: Page): Promise<string[]> {
  await standsStill(page);
  return runAxe(page);
}

export function fits(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth);
}

/**
 * Brings to its end whatever has one: colours that are still changing have no contrast to speak of. It is not waited for, since
 * what is folded away stands still and would never get there. What moves for ever says that it loads.
 */
async function standsStill(page: Page): Promise<void> {
  await page.evaluate(() => {
    const ending = document
      .getAnimations()
      .filter(({ effect }) => Number.isFinite(effect?.getComputedTiming().endTime));
    for (const animation of ending) animation.finish();
  });
}

/** What moves although the reader asked for stillness; what says that it loads may, and what is folded away is not seen. */
export function movingParts(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    document
      .getAnimations()
      .map(({ effect }) => (effect instanceof KeyframeEffect ? effect.target : null))
      .filter((target) => target?.checkVisibility() === true)
      .filter((target) => target?.closest('[role=status], [aria-busy=true]') === null)
      .map((target) => target?.outerHTML.slice(0, 200) ?? ''),
  );
}

/** Texts that cannot be read in full: beyond the window where nothing scrolls, or cut off without a sign that there is more. */
export function findCutOff(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    // It can be scrolled to, is shortened with a sign, or stands where only screen readers find it.
    const isPlaced = (element: Element): boolean => {
      for (let at: Element | null = element; at !== null && at !== document.body; at = at.parentElement) {
        const { overflowX, textOverflow, webkitLineClamp } = getComputedStyle(at);
        if (/auto|scroll/.test(overflowX) || textOverflow === 'ellipsis' || webkitLineClamp !== 'none') return true;
        if (overflowX === 'hidden' && at.clientWidth <= 1) return true;
      }
      return false;
    };
    const found: string[] = [];
    for (const element of document.body.querySelectorAll(':not(textarea, option, script, style)')) {
      const hasText = [...element.childNodes].some(
        ({ nodeType, textContent }) => nodeType === 3 && textContent?.trim(),
      );
      const { left, right, width, height } = element.getBoundingClientRect();
      // What only screen readers hear is one pixel large.
      if (!hasText || !element.checkVisibility({ visibilityProperty: true }) || width <= 1 || height <= 1) continue;
      const { display, overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(element);
      const name = `${element.tagName.toLowerCase()}.${element.className} “${element.textContent?.slice(0, 40)}”`;
      if ((right > innerWidth + 1 || left < -1) && !isPlaced(element))
        found.push(`${name} is at ${Math.round(left)} to ${Math.round(right)} of ${innerWidth}`);
      const isCut = (overflow: string) => display !== 'inline' && /hidden|clip/.test(overflow);
      if (isCut(overflowX) && textOverflow !== 'ellipsis' && element.scrollWidth > element.clientWidth + 1)
        found.push(`${name} is cut off at the side: ${element.scrollWidth} > ${element.clientWidth}`);
      if (isCut(overflowY) && webkitLineClamp === 'none' && element.scrollHeight > element.clientHeight + 3)
        found.push(`${name} is cut off below: ${element.scrollHeight} > ${element.clientHeight}`);
    }
    return found;
  });
}

const mostStops = 120;

/** Goes through a page by Tab: what is wrong with the order of the stops, and which of them do not show the focus. */
export async function focusFaults(page: Page): Promise<string[]> {
  await page.addStyleTag({ content: '*, *::before, *::after { transition: none !important }' });
  await page.evaluate(() => {
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
    Object.assign(window, { lastStop: undefined });
  });
  const faults: string[] = [];
  for (let stop = 0; stop < mostStops; stop += 1) {
    await page.keyboard.press('Tab');
    const { isOver, found } = await page.evaluate(checkBreaker);
    faults.push(...found);
    if (isOver) break;
  }
  return faults;
}

/** Runs in the page after each Tab: compares the stop before, which has lost the focus, with what it looked like with it. */
function checkBreaker(): { isOver: boolean; found: string[] } {
  const keeper = window as unknown as { lastStop?: { element: Element; look: string } };
  const lookOf = (element: Element) => {
    // A field may show the focus by its frame, also around the names picked in it, a box by the mark beside it.
    const { parentElement: parent, nextElementSibling } = element;
    const around = [element, parent, parent?.parentElement ?? null, nextElementSibling].filter((one) => one !== null);
    return around
      .map((one) => getComputedStyle(one))
      .map((style) => [style.outline, style.borderColor, style.boxShadow, style.backgroundColor, style.clip].join())
      .join('|');
  };
  const nameOf = (element: Element) => element.outerHTML.slice(0, 160);
  const found: string[] = [];
  const last = keeper.lastStop;
  const now = document.activeElement;
  // A field for a date has a stop for each of its parts, and the focus all the while.
  if (last !== undefined && last.element === now) return { isOver: false, found };
  if (last?.element.isConnected && lookOf(last.element) === last.look)
    found.push(`the focus is not to be seen on ${nameOf(last.element)}`);
  if (now === null || now === document.body) return { isOver: true, found };
  if (last !== undefined && (last.element.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_PRECEDING) !== 0)
    return { isOver: true, found };
  // A button of a choice is drawn by its label; the field itself has no size.
  const drawn = [now, ...(now instanceof HTMLInputElement ? (now.labels ?? []) : [])];
  const isDrawn = drawn.map((one) => one.getBoundingClientRect()).some(({ width, height }) => width > 0 && height > 0);
  if (!isDrawn) found.push(`the focus goes to ${nameOf(now)}, which is not there to be seen`);
  const boxes = drawn.map((one) => one.getBoundingClientRect());
  const isInWindow = boxes.some(
    ({ top, bottom, left, right }) => bottom > 0 && right > 0 && top < innerHeight && left < innerWidth,
  );
  if (isDrawn && !isInWindow) found.push(`the focus goes to ${nameOf(now)}, which is outside of the window`);
  keeper.lastStop = { element: now, look: lookOf(now) };
  return { isOver: false, found };
}
