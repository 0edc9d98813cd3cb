import type { Page } from 'playwright-core';

/** What is wrong with a screen that is shown, in words that name the place; nothing where all is well. */
export async function screenFaults(page: Page, { locale, timezoneId }: Zone): Promise<string[]> {
  const { wide, loaded, linked, times, text } = await page.evaluate(look);
  return [
    ...wide.map((element) => `${element} stands out of the window`),
    ...loaded.map((source) => `loads ${source}`),
    ...linked.map((address) => `links to ${address}`),
    ...times.filter((one) => !isInForm(one, locale, timezoneId)).map(({ shown }) => `says ${shown} for a time`),
    ...[...text.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d\S*/g)].map(([stamp]) => `says ${stamp} to people`),
  ];
}

interface Zone {
  locale: string;
  timezoneId: string;
}

interface ShownTime {
  at: string;
  shown: string;
}

/** Either the moment in the reader's own zone and form, or how long ago it was in their language. */
function isInForm({ at, shown }: ShownTime, locale: string, timeZone: string): boolean {
  const form = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone });
  if (shown === form.format(new Date(at))) return true;
  const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return (['minute', 'hour', 'day'] as const).some((unit) =>
    [-1, -2, 0, 1, 2].some((count) => {
      const [sample = ''] = words.format(count, unit).split(/\d+/);
      return sample !== '' && shown.startsWith(sample);
    }),
  );
}

/** Runs in the page. */
function look() {
  const main = document.querySelector('main') ?? document.body;
  const isClipped = (element: Element): boolean => {
    for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement)
      if (getComputedStyle(at).overflowX !== 'visible') return true;
    return false;
  };
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.className} “${element.textContent.slice(0, 40)}”`;
  const isTooWide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  const outside = [...main.querySelectorAll('*')].filter(
    (element) => element.getBoundingClientRect().right > innerWidth + 1 && !isClipped(element),
  );
  const inmost = outside.filter((element) => !outside.some((one) => one !== element && element.contains(one)));
  const here = location.origin;
  return {
    wide: isTooWide ? ['something', ...inmost.slice(0, 3).map(name)] : [],
    loaded: [...document.images]
      .map(({ src }) => src)
      .filter((src) => !/^data:image\//.test(src) && !src.startsWith(here)),
    linked: [...document.querySelectorAll('a')]
      .map(({ href }) => href)
      .filter((href) => href !== '' && !/^(https?|mailto):/.test(href)),
    times: [...main.querySelectorAll('time')].map(({ dateTime, textContent }) => ({
      at: dateTime,
      shown: textContent,
    })),
    text: [...main.querySelectorAll('p, span, td, dd, strong, small')]
      .filter((element) => element.closest('code, pre, textarea') === null)
      .flatMap((element) => [...element.childNodes])
      .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
      .map(({ textContent }) => textContent ?? '')
      .join('\n'),
  };
}
