import { readTelegramTheme, type TelegramTheme } from './telegram-theme.ts';

/**
 * What Telegram passes to a Mini App, in the fragment of its address (https://core.telegram.org/api/bots/webapps). Read directly, because
 * pages here run no script of another site, Telegram’s own included.
 */
export interface MiniApp {
  /** Says who opened the page, signed by Telegram. */
  initData: string;
  theme?: TelegramTheme;
}

/** Undefined outside Telegram. */
export function readMiniApp(fragment: string): MiniApp | undefined {
  const fields = new URLSearchParams(fragment.replace(/^#/, ''));
  const initData = fields.get('tgWebAppData');
  if (initData === null || initData === '') return undefined;
  const theme = readTelegramTheme(fields.get('tgWebAppThemeParams'));
  return { initData, ...(theme && { theme }) };
}

declare global {
  interface Window {
    /** Apps of Telegram provide it to the page. */
    TelegramWebviewProxy?: { postEvent(type: string, data: string): void };
  }
}

/** The events of the app in use here, with their data. */
interface Events {
  web_app_ready: object;
  web_app_expand: object;
  web_app_close: object;
  web_app_open_link: { url: string };
  /** For links of t.me, which stay in the app. */
  web_app_open_tg_link: { path_full: string };
}

/** Tells the app to do something. Telegram’s web client shows the page in a frame. */
export function postToTelegram<Event extends keyof Events>(event: Event, data: Events[Event]): void {
  if (window.TelegramWebviewProxy !== undefined) window.TelegramWebviewProxy.postEvent(event, JSON.stringify(data));
  else if (window.parent !== window)
    window.parent.postMessage(JSON.stringify({ eventType: event, eventData: data }), 'https://web.telegram.org');
}

/**
 * Lets the app open the links that a person taps, in their browser or the app that the link belongs to: the window of a Mini App opens
 * none of them by itself. The app takes only http and https, and only from the handler of a tap.
 */
export function openLinksInTelegram(page: Document = document): () => void {
  const onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || event.defaultPrevented || !isOutside(link.href, page.URL)) return;
    event.preventDefault();
    const { host, pathname, search } = new URL(link.href);
    if (host === 't.me') postToTelegram('web_app_open_tg_link', { path_full: `${pathname}${search}` });
    else postToTelegram('web_app_open_link', { url: link.href });
  };
  page.addEventListener('click', onClick);
  return () => page.removeEventListener('click', onClick);
}

/** Whether a link leads away from a page, to an address that the app opens. */
export function isOutside(href: string, page: string): boolean {
  const [there, here] = [URL.parse(href), URL.parse(page)];
  if (there === null || !/^https?:$/.test(there.protocol)) return false;
  return there.origin !== here?.origin || there.pathname !== here.pathname || there.search !== here.search;
}
