import { chatPlatforms, isPlatformName } from '@latchkey/kernel/chat-platforms';
import { directionOf } from '@latchkey/kernel/messages';
import { t } from '../messages/index.ts';

const chains: Readonly<Record<string, string>> = { ethereum: 'Ethereum', evm: 'Ethereum' };

/** Returns the display name of a chat platform or chain. */
export function platformName(platform: string): string {
  return isPlatformName(platform) ? chatPlatforms[platform].title : (chains[platform] ?? platform);
}

/** Shortens an address to its beginning and end, as people compare it. */
export function shortAddress(address: string): string {
  const short = address.length <= 16 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`;
  // Isolated, so that text from right to left leaves its order alone.
  return directionOf(t.locale) === 'rtl' ? `\u2066${short}\u2069` : short;
}
