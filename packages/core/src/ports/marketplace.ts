/** The result of reading a public profile. */
export type ProfileAnswer =
  | { kind: 'read'; text: string }
  /** The marketplace does not know the account, or its profile is empty. */
  | { kind: 'none' }
  | { kind: 'unknown'; reason: string };

/** A marketplace with public profiles that only the holder of an account can edit. */
export interface Marketplace {
  /** The profile of the account. Never throws: if the marketplace cannot be reached, the result is unknown. */
  readProfile(address: string, signal?: AbortSignal): Promise<ProfileAnswer>;
}
