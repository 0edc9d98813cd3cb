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

/** Tells the app to do something: `web_app_ready`, `web_app_expand`, `web_app_close`. Telegram’s web client shows the page in a frame. */
export function tellTelegram(event: 'web_app_ready' | 'web_app_expand' | 'web_app_close'): void {
  if (window.TelegramWebviewProxy !== undefined) window.TelegramWebviewProxy.postEvent(event, '{}');
  else if (window.parent !== window)
    window.parent.postMessage(JSON.stringify({ eventType: event, eventData: {} }), 'https://web.telegram.org');
}
