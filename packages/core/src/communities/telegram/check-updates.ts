import type { Context } from '../../context.ts';
import { PlatformFailed } from '../../ports/index.ts';
import { telegramRoute } from './take-update.ts';

interface UpdatesCheck {
  state: 'ok' | 'attention' | 'failing';
  summary: string;
  advice?: string;
}

const askWithinMs = 5_000;
/** An error that is older than this, with nothing waiting, is over. */
const recentMs = 10 * 60_000;

/** Whether Telegram's updates arrive, where it posts them; undefined where a worker asks for them. */
export async function checkTelegramUpdates(
  ctx: Pick<Context, 'clock' | 'settings' | 'telegram'>,
): Promise<UpdatesCheck | undefined> {
  const { telegram, settings } = ctx;
  if (telegram === undefined || settings.telegramUpdates !== 'webhook') return undefined;
  const expected = `${settings.baseUrl}${telegramRoute.path}`;
  try {
    const { url, waiting, lastError } = await telegram.readWebhook(AbortSignal.timeout(askWithinMs));
    if (url === undefined)
      return {
        state: 'failing',
        summary: 'Telegram was not told where to post updates.',
        advice: 'Check that a worker is running, and its log.',
      };
    if (url !== expected)
      return {
        state: 'failing',
        summary: `Telegram posts updates to ${originOf(url)}, not to ${expected}.`,
        advice: 'Check that every process has the same LATCHKEY_BASE_URL, and that no other program uses the bot.',
      };
    const isRecent = lastError !== undefined && ctx.clock().getTime() - lastError.at.getTime() < recentMs;
    if (lastError !== undefined && (isRecent || waiting > 0))
      return {
        state: waiting > 0 ? 'failing' : 'attention',
        summary: `Telegram posts updates to ${url}; the last failure was at ${lastError.at.toISOString()}: ${lastError.message.slice(0, 300)}. Updates waiting: ${waiting}.`,
        advice: 'Check that Telegram can reach this address over HTTPS with a valid certificate.',
      };
    return { state: 'ok', summary: `Telegram posts updates to ${url}; ${waiting} are waiting.` };
  } catch (error) {
    if (!(error instanceof PlatformFailed) && !(error instanceof DOMException)) throw error;
    return {
      state: 'attention',
      summary: 'Telegram cannot be asked whether it delivers updates.',
      ...(error instanceof PlatformFailed && { advice: error.message }),
    };
  }
}

/** The address of another program may hold a secret. */
function originOf(url: string): string {
  return URL.parse(url)?.origin ?? 'another address';
}
