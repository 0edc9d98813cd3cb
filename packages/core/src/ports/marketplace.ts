/** What a look at a public profile came to. */
export type ProfileAnswer =
  | { kind: 'read'; text: string }
  /** The marketplace does not know the account, or its profile is empty. */
  | { kind: 'none' }
  | { kind: 'unknown'; reason: string };

/** A marketplace on which people write something about themselves, which only the holder of the account can do. */
export interface Marketplace {
  /** The profile of the account. Never throws: an unreachable marketplace is unknown. */
  readProfile(address: string, signal?: AbortSignal): Promise<ProfileAnswer>;
}
