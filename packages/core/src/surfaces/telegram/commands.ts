import { locales } from '@latchkey/kernel/messages';
import type { Context } from '../../shared/context.ts';
import { messagesIn } from '../../shared/messages/index.ts';

/** Tells Telegram which commands its users see in the menu of the bot: in English, and in each language that we speak. */
export async function setTelegramCommands(
  { telegram }: Pick<Context, 'telegram'>,
  signal?: AbortSignal,
): Promise<void> {
  for (const locale of locales) {
    const t = messagesIn(locale);
    const commands = [
      { command: 'connect', description: t('command.connect') },
      { command: 'why', description: t('command.why'), isEphemeral: true },
      { command: 'check', description: t('command.check'), isEphemeral: true },
    ];
    // English is for every language without commands of its own. Telegram names languages by two letters.
    await telegram?.setCommands(commands, locale === 'en' ? undefined : locale.slice(0, 2), signal);
  }
}
