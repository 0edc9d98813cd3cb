import { chatPlatforms, isPlatformName } from '@latchkey/kernel/chat-platforms';

const chains: Readonly<Record<string, string>> = { ethereum: 'Ethereum', evm: 'Ethereum' };

/** What people call a chat platform or chain. */
export function platformName(platform: string): string {
  return isPlatformName(platform) ? chatPlatforms[platform].title : (chains[platform] ?? platform);
}

/** An address as people compare it: its beginning and its end. */
export function shortAddress(address: string): string {
  return address.length <= 16 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`;
}
