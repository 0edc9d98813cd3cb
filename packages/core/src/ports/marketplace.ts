/** What a look at a public profile came to. */
export type ProfileAnswer =
  | { kind: 'read'; text: string }
  /** The marketplace knows no such account, or the account says nothing of itself. */
  | { kind: 'none' }
  | { kind: 'unknown'; reason: string };

/** A marketplace on which people write something about themselves, which only the holder of the account can do. */
export interface Marketplace {
  /** What the account says of itself. Never throws: a marketplace that cannot be asked is unknown. */
  readProfile(address: string, signal?: AbortSignal): Promise<ProfileAnswer>;
}
