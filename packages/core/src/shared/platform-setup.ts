import { type AppError, type ChatPlatform, chatPlatforms, notSetUp, type PlatformName } from '@latchkey/kernel';

/** A way in which a platform is used. */
export type PlatformUse = keyof ChatPlatform['settings'];

/** The error for a platform that is not configured, with the settings the operator must set. */
export function describeMissing(platform: PlatformName, uses: readonly PlatformUse[]): string {
  const { title, settings }: ChatPlatform = chatPlatforms[platform];
  const all = [...new Set(uses.flatMap((use) => settings[use]))];
  return `${title} is not configured. Set ${new Intl.ListFormat('en').format(all)} on the server.`;
}

/** The error for a caller that needs a platform this server does not have. */
export function notConfigured(platform: PlatformName, use: PlatformUse = 'bot'): AppError {
  return notSetUp(describeMissing(platform, [use]));
}
