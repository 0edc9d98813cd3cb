/** What a wallet holds on the development chain. */
export interface PlaygroundHoldings {
  keys: number;
  /** Whole coins, as a decimal. */
  coins: string;
  badges: number;
}

/** A member of a playground. The first one is the reader. */
export interface PlaygroundSeat {
  /** The id on Discord. */
  userId: string;
  name: string;
  address: string;
}

/** A small guild on the Discord emulator for one reader, with wallets on the development chain. */
export interface PlaygroundGuild {
  guildId: string;
  ownerId: string;
  roles: { holder: string; collector: string };
  members: readonly PlaygroundSeat[];
  /** The contracts of its tokens. */
  tokens: { chainId: number; keys: string; coins: string; badges: string };
}

/** Creates playgrounds in the sample world of `npm start`. It runs in this process and ends with it. */
export interface PlaygroundWorld {
  /** The keys of the wallets are derived from the seed. */
  open(seed: string): Promise<PlaygroundGuild>;
  /** Undefined if it was closed, or if the emulators have been started again since. */
  find(guildId: string): PlaygroundGuild | undefined;
  /** The names of the roles that a member has on Discord, and what the wallet holds. */
  read(guildId: string, userId: string): { roles: string[]; holds: PlaygroundHoldings };
  /** Signs as the member's wallet does. */
  sign(guildId: string, userId: string, message: string): Promise<string>;
  /** Transfers one key from the member to the market or back. Returns false if the sender holds none. */
  trade(guildId: string, userId: string, side: 'sell' | 'buy'): Promise<boolean>;
  close(guildId: string): void;
}
