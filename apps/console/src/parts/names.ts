import { chatPlatforms, isPlatformName } from '@latchkey/kernel/chat-platforms';

const chains: Readonly<Record<string, string>> = { ethereum: 'Ethereum', evm: 'Ethereum' };

/** Returns the display name of a chat platform or chain. */
export function platformName(platform: string): string {
  return isPlatformName(platform) ? chatPlatforms[platform].title : (chains[platform] ?? platform);
}

/** Shortens an address to its beginning and end, as people compare it. */
export function shortAddress(address: string): string {
  return address.length <= 16 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`;
}
