const platforms: Readonly<Record<string, string>> = {
  discord: 'Discord',
  telegram: 'Telegram',
  reddit: 'Reddit',
  ethereum: 'Ethereum',
  evm: 'Ethereum',
};

/** What people call a chat platform or chain. */
export function platformName(platform: string): string {
  return platforms[platform] ?? platform;
}

/** An address as people compare it: its beginning and its end. */
export function shortAddress(address: string): string {
  return address.length <= 16 ? address : `${address.slice(0, 8)}…${address.slice(-6)}`;
}
