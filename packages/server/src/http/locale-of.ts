import {
  acceptedLocale,
  firstLocale,
  type Locale,
  localeCookie,
  locales,
  type PageLocale,
  pseudoLocale,
} from '@latchkey/kernel/messages';
import type { FastifyRequest } from 'fastify';
import { readCookies } from './read-cookies.ts';

type Asking = Pick<FastifyRequest, 'headers'>;

/** The language of a request: the one chosen on a page, then those that an application asks for, then those of the browser. */
export function localeOf(request: Asking, wanted: readonly string[] = []): Locale | undefined {
  // The console is in English, and sentences of the server in another language would stand among its own.
  if (request.headers['x-latchkey-console'] === '1') return 'en';
  const chosen = readCookies(request).get(localeCookie);
  return (
    locales.find((locale) => locale === chosen) ??
    firstLocale(wanted) ??
    acceptedLocale(request.headers['accept-language'] ?? '')
  );
}

/** The same for a page for members, whose texts may be the pseudo-locale too. */
export function pageLocaleOf(request: Asking, wanted: readonly string[] = []): PageLocale {
  if (readCookies(request).get(localeCookie) === pseudoLocale) return pseudoLocale;
  return localeOf(request, wanted) ?? 'en';
}

/** The console has English only, which the pseudo-locale shows to be in catalogues. */
export function consoleLocaleOf(request: Asking): PageLocale {
  return pageLocaleOf(request) === pseudoLocale ? pseudoLocale : 'en';
}
