import type { Page } from 'playwright-core';

/** What is wrong with a screen that is shown, in words that name the place; nothing where all is well. */
export async function screenFaults(page: Page, zone: Zone): Promise<string[]> {
  const { wide, loaded, linked, times, text } = await page.evaluate(look, zone);
  return [
    ...wide.map((element) => `${element} stands out of the window`),
    ...loaded.map((source) => `loads ${source}`),
    ...linked.map((address) => `links to ${address}`),
    ...times.map((shown) => `says ${shown} for a time`),
    ...[...text.matchAll(/\d{4}-\d\d-\d\dT\d\d:\d\d\S*/g)].map(([stamp]) => `says ${stamp} to people`),
  ];
}

interface Zone {
  locale: string;
  timezoneId: string;
}

/** Runs in the page. */
function look({ locale, timezoneId: timeZone }: Zone) {
  const main = document.querySelector('main') ?? document.body;
  const read = [main, ...document.querySelectorAll('dialog[open], [role=menu], [role=listbox]')];
  const inAll = (form: string) => read.flatMap((part) => [...part.querySelectorAll(form)]);
  const isClipped = (element: Element): boolean => {
    for (let at = element.parentElement; at !== null && at !== document.body; at = at.parentElement)
      if (getComputedStyle(at).overflowX !== 'visible') return true;
    return false;
  };
  const name = (element: Element) =>
    `${element.tagName.toLowerCase()}.${element.className} “${element.textContent.slice(0, 40)}”`;
  const isTooWide = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  const outside = inAll('*').filter(
    (element) => element.getBoundingClientRect().right > innerWidth + 1 && !isClipped(element),
  );
  const inmost = outside.filter((element) => !outside.some((one) => one !== element && element.contains(one)));
  // Either the moment in the reader's own zone and form, or how long ago it was in their language. Admins are told the zone.
  const [day, clock] = [
    { year: 'numeric', month: 'short', day: 'numeric' },
    { hour: 'numeric', minute: '2-digit' },
  ] as const;
  const forms = [
    new Intl.DateTimeFormat(locale, { ...day, ...clock, timeZoneName: 'short', timeZone }),
    new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }),
  ];
  const ago = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const beginnings = (['minute', 'hour', 'day'] as const).flatMap((unit) =>
    [-3, -2, -1, 0, 1, 2, 3].map((count) => ago.format(count, unit).split(/\d/)[0] ?? ''),
  );
  const isInForm = ({ dateTime, textContent }: HTMLTimeElement) =>
    forms.some((form) => textContent === form.format(new Date(dateTime))) ||
    beginnings.some((words) => words !== '' && textContent.startsWith(words));
  const here = location.origin;
  return {
    wide: isTooWide ? ['something', ...inmost.slice(0, 3).map(name)] : [],
    loaded: [...document.images]
      .map(({ src }) => src)
      .filter((src) => !/^data:image\//.test(src) && !src.startsWith(here)),
    linked: [...document.querySelectorAll('a')]
      .map(({ href }) => href)
      .filter((href) => href !== '' && !/^(https?|mailto):/.test(href)),
    times: inAll('time')
      .filter((time) => time instanceof HTMLTimeElement)
      .filter((time) => !isInForm(time))
      .map(({ textContent }) => textContent),
    text: inAll('p, span, td, dd, strong, small')
      .filter((element) => element.closest('code, pre, textarea') === null)
      .flatMap((element) => [...element.childNodes])
      .filter(({ nodeType }) => nodeType === Node.TEXT_NODE)
      .map(({ textContent }) => textContent ?? '')
      .join('\n'),
  };
}
