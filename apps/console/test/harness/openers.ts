import type { Locator, Page } from 'playwright-core';

/** What may open something on a screen: its buttons, but for those that send a form or change a tab. */
export function openersIn(scope: Locator): Locator {
  return scope.locator('button:not([type=submit], [role=tab], [disabled]):visible');
}

/** The place of each button that is called differently from those before it, with its name. */
export async function distinctOpeners(openers: Locator, most: number): Promise<(readonly [number, string])[]> {
  const names = await openers.evaluateAll((all) => all.map((one) => one.ariaLabel ?? one.textContent.slice(0, 60)));
  return [...new Set(names)].slice(0, most).map((name) => [names.indexOf(name), name] as const);
}

/** At once, wherever it stands: what a pointer reaches is looked at elsewhere. */
export function pressAtOnce(button: Locator): Promise<void> {
  return button.evaluate((element) => {
    if (element instanceof HTMLElement) element.click();
  });
}

/** A click has done what it does by then: pages draw themselves once a frame. */
export function twoFrames(page: Page): Promise<void> {
  return page.evaluate(
    () => new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
}
